import { createParser } from 'eventsource-parser';
import { Agent, type IncomingMessage, request } from 'node:http';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { type Admissions, decodeLiveMessage, type LiveMessage } from '../../domain/live-message.ts';
import type { Scope } from '../benchmark.ts';

/** A client of the live stream on one connection, which counts the bytes that come on it. */
export interface StreamClient {
  /** Its session, for other connections. */
  readonly cookie: string;
  /** The newest counts. */
  readonly counts: Admissions | undefined;
  readonly isLive: boolean;
  /** Whether the state that begins every stream has come in full. */
  readonly isComplete: boolean;
  /** Of the answers' bodies, sign-in included. */
  readonly bodyBytes: number;
  /** All that came on the connection, heads and chunk coding included. */
  readonly wireBytes: number;
  /** Resolves with when it became so, by `performance.now()`; one at a time. Rejects when the stream ends. */
  until(isSo: (client: StreamClient) => boolean, limitMs?: number): Promise<number>;
  close(): void;
}

export const ACCOUNT = { email: 'painel@triagem.local', key: 'the-key-of-every-benchmark' } as const;

const LIMIT_MS = 60_000;

export const STREAM_PATH = `/api/events/${DEFAULT_EVENT_ID}/live`;

/** Signs in and opens the stream on one connection, as a browser would. Rejects when nobody listens yet. */
export async function openStreamClient(scope: Scope, url: string): Promise<StreamClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  scope.stops.push(() => agent.destroy());
  const signedIn = await ask(agent, `${url}/api/sign-in`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  });
  if (signedIn.statusCode !== 204) throw new Error(`sign-in was answered with ${signedIn.statusCode}`);
  const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  let bodyBytes = 0;
  for await (const bytes of signedIn as AsyncIterable<Buffer>) bodyBytes += bytes.length;
  const stream = await ask(agent, url + STREAM_PATH, { headers: { cookie } });
  if (stream.statusCode !== 200) throw new Error(`the stream was answered with ${stream.statusCode}`);

  const newest: { [Event in LiveMessage['event']]?: Extract<LiveMessage, { event: Event }> } = {};
  const parser = createParser({
    onEvent({ event, data, id }) {
      const message = decodeLiveMessage(event ?? '', data, id ?? '');
      if (message) Object.assign(newest, { [message.event]: message });
    },
  });
  const ended = new AbortController();
  const over = AbortSignal.any([scope.signal, ended.signal]);
  let check = (_atMs: number): void => {};
  stream.on('data', (bytes: Buffer) => {
    const atMs = performance.now();
    bodyBytes += bytes.length;
    parser.feed(bytes.toString());
    check(atMs);
  });
  stream.on('error', () => {});
  stream.on('close', () => ended.abort(new Error('the stream ended')));
  const client: StreamClient = {
    cookie,
    get counts() {
      return newest.counts?.data;
    },
    get isLive() {
      return newest.source?.data.live === true;
    },
    get isComplete() {
      return newest.counts !== undefined && newest.source !== undefined && newest.sectors !== undefined;
    },
    get bodyBytes() {
      return bodyBytes;
    },
    get wireBytes() {
      return stream.socket.bytesRead;
    },
    async until(isSo, limitMs = LIMIT_MS) {
      const limit = AbortSignal.any([over, AbortSignal.timeout(limitMs)]);
      return new Promise((resolve, reject) => {
        limit.addEventListener('abort', () => reject(limit.reason), { once: true });
        if (limit.aborted) reject(limit.reason);
        check = (atMs) => isSo(client) && resolve(atMs);
        check(performance.now());
      });
    },
    close: () => agent.destroy(),
  };
  return client;
}

function ask(
  agent: Agent,
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body?: string },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent });
    call.once('response', resolve);
    call.once('error', reject);
    call.end(body);
  });
}
