import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../database/setup-error.ts';
import { openPageClient, type PageClient } from '../../testing/browser/page-client.ts';
import {
  launchRole,
  launchServer,
  type ServerOptions,
  type ServerProcess,
} from '../../testing/server/server.ts';
import type { Scope } from '../benchmark.ts';

const POLL_MS = 5;
const FIRST_COUNTS_LIMIT_MS = 60_000;
/** Its part of the 5 s in which everything must have stopped. */
const STOP_LIMIT_MS = 700;

/** A client, and when it had all that begins a stream, live, by `performance.now()`. */
interface LiveClient {
  readonly client: PageClient;
  readonly liveAtMs: number;
}

/** Resolves at once: the port opens a little later. */
export async function startServer(
  { signal, stops }: Scope,
  observerUrl: string,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  signal.throwIfAborted();
  const server = await launchServer(observerUrl, options);
  stops.push(() => server.stop(STOP_LIMIT_MS));
  return server;
}

/** Resolves once its counts are live. */
export async function startLiveServer(
  scope: Scope,
  observerUrl: string,
  options: ServerOptions = {},
): Promise<ServerProcess> {
  const server = await startServer(scope, observerUrl, options);
  const { client } = await openFirstClient(scope, server);
  client.leave();
  return server;
}

/** As `startLiveServer`, with a counter and an edge that serves what it says. Returns the edge. */
export function startLiveEdge(natsUrl: string): typeof startLiveServer {
  return async (scope, observerUrl, options) => {
    scope.signal.throwIfAborted();
    const relay = { NATS_URL: natsUrl };
    const counter = await launchRole('counter', { env: { ...relay, DATABASE_URL: observerUrl } });
    scope.stops.push(() => counter.stop(STOP_LIMIT_MS));
    const edge = await launchRole('edge', { ...options, env: { ...relay, ...options?.env } });
    scope.stops.push(() => edge.stop(STOP_LIMIT_MS));
    const { client } = await openFirstClient(scope, edge);
    client.leave();
    return edge;
  };
}

/** The first client of a server that is starting: it asks until it is let in. */
export async function openFirstClient(scope: Scope, server: ServerProcess): Promise<LiveClient> {
  const giveUpAtMs = performance.now() + FIRST_COUNTS_LIMIT_MS;
  for (;;) {
    try {
      return await openClient(scope, server.url);
    } catch (error) {
      scope.signal.throwIfAborted();
      server.assertRunning();
      // Refused, or reset: the server tries its port before it begins, and opens it later.
      const isEarly = ['ECONNREFUSED', 'ECONNRESET'].includes(errorCode(error) ?? '');
      if (!isEarly || performance.now() > giveUpAtMs) throw error;
    }
    await sleep(POLL_MS, undefined, { signal: scope.signal });
  }
}

/** Signs in, and waits for the first counts. */
export async function openClient({ signal, stops }: Scope, url: string): Promise<LiveClient> {
  const client = await openPageClient(url);
  stops.push(() => client.leave());
  const hasAll = ({ complete, live }: PageClient): boolean => complete && live;
  return {
    client,
    liveAtMs: await client.reaches('the first counts', hasAll, FIRST_COUNTS_LIMIT_MS, signal),
  };
}
