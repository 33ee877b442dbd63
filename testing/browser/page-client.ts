import type { Counts } from '../../domain/event-state.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { liveMessageDecoder, type LiveMessage } from '../../domain/live-message.ts';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import { readMessages } from '../../page/connection/live-stream.ts';
import { closeOnce } from '../close-once.ts';
import { createLightFetch, type LightFetch } from './light-fetch.ts';
import { EMAIL, KEY } from '../server/server.ts';

/** Receives what a page receives, without its logic (screen.ts): it signs in once, and reads the stream to its end. */
export interface PageClient {
  readonly messages: readonly LiveMessage[];
  /** The messages with counts. */
  readonly frames: readonly CountsMessage[];
  /** The newest counts; `live`: whether they may be displayed as live. */
  readonly counts: Counts | undefined;
  readonly live: boolean;
  /** Whether the whole initial state has come. */
  readonly complete: boolean;
  readonly ended: boolean;
  /** The bytes of the stream's body; `wireBytes`: all on the connection, with sign-in, heads and chunk coding. */
  readonly bodyBytes: number;
  readonly wireBytes: number;
  /** Resolves with the time of `performance.now()` at which `isSo` holds; rejects after `limitMs`, or when the stream ends. */
  reaches(
    /** The subject of the error: 'the first counts'. */
    what: string,
    isSo: (client: PageClient) => boolean,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<number>;
  leave(): void;
}

export interface PageClientOptions {
  /** The host name of the requests, by default the address. With one, event and account come from /config.json. */
  readonly host?: string;
  readonly eventId?: string;
  readonly account?: { readonly email: string; readonly key: string };
}

type CountsMessage = Extract<LiveMessage, { event: 'counts' }>;

const livePathOf = (eventId: string): string => `/api/events/${encodeURIComponent(eventId)}/live`;
export const LIVE_PATH = livePathOf(DEFAULT_EVENT_ID);
const ACCOUNT = { email: EMAIL, key: KEY };

/** Sends a sign-in. `body`: an account, or anything else in its place. */
export function postSignIn(
  url: string,
  body: unknown = ACCOUNT,
  headers: Readonly<Record<string, string>> = {},
  call = fetch,
): Promise<Response> {
  return call(`${url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Returns the session's cookie, as a browser would send it. */
export async function signIn(url: string, call = fetch, account: unknown = ACCOUNT): Promise<string> {
  const response = await postSignIn(url, account, {}, call);
  await response.body?.cancel();
  if (response.status !== 204) throw new Error(`sign-in was answered with ${response.status}`);
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Fetches this address, which may be a stream; the request ends with the test. */
export function fetchOpen(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const leaving = new AbortController();
  closeOnce(() => leaving.abort());
  return fetch(url, { headers, signal: leaving.signal });
}

/** Signs in and opens the stream for the server's rows, on one connection. Rejects if the server is unreachable or refuses. */
export async function openPageClient(url: string, options: PageClientOptions = {}): Promise<PageClient> {
  const network = createLightFetch(url, { maxConnections: 1, host: options.host });
  try {
    return await follow(network, options);
  } catch (error) {
    network.close();
    throw error;
  }
}

async function follow(network: LightFetch, { host, ...named }: PageClientOptions): Promise<PageClient> {
  const { eventId = DEFAULT_EVENT_ID, account = ACCOUNT } =
    host === undefined ? named : { ...(await readConfig(network)), ...named };
  await signIn('', network.fetch, account);
  const leaving = new AbortController();
  const open = (query: string): Promise<Response> =>
    network.fetch(livePathOf(eventId) + query, { signal: leaving.signal });
  let response = await open('');
  let codes: readonly string[] = SECTOR_CODES;
  if (response.status === 409) {
    await response.body?.cancel();
    const { venueId, sectors } = (await (await network.fetch('/config.json')).json()) as ShownVenue;
    codes = sectors.map(({ code }) => code);
    response = await open(`?venue=${venueId}`);
  }
  if (response.status !== 200 || !response.body) {
    throw new Error(`the stream was answered with ${response.status}`);
  }
  const messages: LiveMessage[] = [];
  const newest: { [Event in LiveMessage['event']]?: Extract<LiveMessage, { event: Event }> } = {};
  const onMessage = new Set<() => void>();
  let [ended, bodyBytes] = [false, 0];
  const client: PageClient = {
    messages,
    get frames() {
      return messages.filter((message) => message.event === 'counts');
    },
    get counts() {
      return newest.counts?.data;
    },
    get live() {
      return !ended && newest.source?.data.live === true;
    },
    get complete() {
      return newest.counts !== undefined && newest.source !== undefined && newest.sectors !== undefined;
    },
    get ended() {
      return ended;
    },
    get bodyBytes() {
      return bodyBytes;
    },
    get wireBytes() {
      return network.wireBytes;
    },
    reaches(what, isSo, limitMs, signal) {
      return new Promise<number>((resolve, reject) => {
        const finish = (error?: Error): void => {
          clearTimeout(timer);
          onMessage.delete(look);
          signal?.removeEventListener('abort', abort);
          if (error) reject(error);
          else resolve(performance.now());
        };
        const look = (): void => {
          if (isSo(client)) finish();
          else if (ended) finish(new Error('the stream ended'));
        };
        const abort = (): void => finish(new Error('stopped'));
        const timer = setTimeout(
          () => finish(new Error(`${what} did not come within ${limitMs} ms`)),
          limitMs,
        );
        onMessage.add(look);
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) abort();
        else look();
      });
    },
    leave: closeOnce(() => {
      leaving.abort();
      network.close();
    }),
  };
  const counted = countBytes(response.body, (bytes) => (bodyBytes += bytes));
  const onMessages = (batch: readonly LiveMessage[]): void => {
    messages.push(...batch);
    for (const message of batch) Object.assign(newest, { [message.event]: message });
    for (const look of onMessage) look();
  };
  void readMessages(counted, { decode: liveMessageDecoder(codes), onMessages })
    // A cut connection sets `ended`.
    .catch(() => {})
    .finally(() => {
      ended = true;
      for (const look of onMessage) look();
    });
  return client;
}

/** Reads event and account, like a page. */
async function readConfig(network: LightFetch): Promise<Pick<PageClientOptions, 'eventId' | 'account'>> {
  const response = await network.fetch('/config.json');
  if (!response.ok) throw new Error(`/config.json was answered with ${response.status}`);
  const { eventId, email, key } = (await response.json()) as Record<'eventId' | 'email' | 'key', string>;
  return { eventId, account: { email, key } };
}

/** Wraps the part of a stream that its reader needs, and counts its bytes. */
function countBytes(body: ReadableStream<Uint8Array>, count: (bytes: number) => void): typeof body {
  const reader = body.getReader();
  const read = async (): ReturnType<typeof reader.read> => {
    const result = await reader.read();
    count(result.value?.length ?? 0);
    return result;
  };
  const counting = { getReader: () => ({ read, cancel: (reason: unknown) => reader.cancel(reason) }) };
  return counting as unknown as typeof body;
}
