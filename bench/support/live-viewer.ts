import { createParser } from 'eventsource-parser';
import { Agent, type IncomingMessage, request } from 'node:http';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { Counts } from '../../domain/event-state.ts';
import { decodeLiveMessage, type LiveMessage } from '../../domain/live-message.ts';
import { SECTOR_CODES } from '../../domain/venue.ts';
import { ACCOUNT } from './server-process.ts';

/** A viewer at a real socket, without a browser: it signs in, follows the stream, and counts the bytes. */
export interface LiveViewer {
  /** The newest counts. */
  readonly counts: Counts | undefined;
  readonly isLive: boolean;
  /** Whether the state that begins every stream has come in full. */
  readonly hasAll: boolean;
  /** Of the answers' bodies, sign-in included. */
  readonly bodyBytes: number;
  /** All that came on the connection, heads and chunk coding included. */
  readonly wireBytes: number;
  /** Resolves with when it became so, by `performance.now()`; rejects after `limitMs`, or when the stream ends. */
  until(isSo: (viewer: LiveViewer) => boolean, wait: Wait): Promise<number>;
  leave(): void;
}

interface Wait {
  /** For the message when it does not come: 'the first counts'. */
  readonly what: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly isSo: (viewer: LiveViewer) => boolean;
  readonly resolve: (atMs: number) => void;
  readonly reject: (error: Error) => void;
}

/** Signs in and opens the stream on one connection, as a browser would. Rejects when nobody listens yet. */
export async function openLiveViewer(url: string): Promise<LiveViewer> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await follow(url, agent);
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

async function follow(url: string, agent: Agent): Promise<LiveViewer> {
  const signedIn = await ask(agent, `${url}/api/sign-in`, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ACCOUNT),
  });
  if (signedIn.statusCode !== 204) throw new Error(`sign-in was answered with ${signedIn.statusCode}`);
  const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  let bodyBytes = 0;
  for await (const bytes of signedIn as AsyncIterable<Buffer>) bodyBytes += bytes.length;
  const stream = await ask(agent, `${url}/api/events/${DEFAULT_EVENT_ID}/live`, { headers: { cookie } });
  if (stream.statusCode !== 200) throw new Error(`the stream was answered with ${stream.statusCode}`);
  const { socket } = stream;

  const newest: { [Event in LiveMessage['event']]?: Extract<LiveMessage, { event: Event }> } = {};
  const waiting = new Set<Waiting>();
  const parser = createParser({
    onEvent({ event, data, id }) {
      const message = decodeLiveMessage(event ?? '', data, id ?? '', SECTOR_CODES);
      if (message) Object.assign(newest, { [message.event]: message });
    },
  });
  const viewer: LiveViewer = {
    get counts() {
      return newest.counts?.data;
    },
    get isLive() {
      return newest.source?.data.live === true;
    },
    get hasAll() {
      return newest.counts !== undefined && newest.source !== undefined && newest.sectors !== undefined;
    },
    get bodyBytes() {
      return bodyBytes;
    },
    get wireBytes() {
      return socket.bytesRead;
    },
    until: (isSo, wait) => waitFor(viewer, waiting, isSo, wait),
    leave: () => agent.destroy(),
  };
  stream.on('data', (bytes: Buffer) => {
    const atMs = performance.now();
    bodyBytes += bytes.length;
    parser.feed(bytes.toString());
    for (const { isSo, resolve } of waiting) if (isSo(viewer)) resolve(atMs);
  });
  stream.on('error', () => {});
  stream.on('close', () => {
    for (const { reject } of waiting) reject(new Error('the stream ended'));
  });
  return viewer;
}

function waitFor(
  viewer: LiveViewer,
  waiting: Set<Waiting>,
  isSo: Waiting['isSo'],
  { what, limitMs, signal }: Wait,
): Promise<number> {
  if (isSo(viewer)) return Promise.resolve(performance.now());
  return new Promise<number>((resolve, reject) => {
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      waiting.delete(entry);
    };
    const fail = (error: Error): void => {
      over();
      reject(error);
    };
    const abort = (): void => fail(new Error('stopped'));
    const timer = setTimeout(() => fail(new Error(`${what} did not come within ${limitMs} ms`)), limitMs);
    const entry: Waiting = {
      isSo,
      resolve(atMs) {
        over();
        resolve(atMs);
      },
      reject: fail,
    };
    waiting.add(entry);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
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
