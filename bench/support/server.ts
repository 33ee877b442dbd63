import { setTimeout as sleep } from 'node:timers/promises';
import { openPageClient, type PageClient } from '../../testing/page-client.ts';
import { launchServer, type ServerOptions, type ServerProcess } from '../../testing/server.ts';
import type { Scope } from '../benchmark.ts';
import { STOP_LIMIT_MS } from './child-program.ts';

const POLL_MS = 5;
const FIRST_COUNTS_LIMIT_MS = 60_000;

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

/** The first client of a server that is starting: it asks until it is let in, and has counts that are live. */
export async function openFirstClient(
  { signal, stops }: Scope,
  server: ServerProcess,
): Promise<{ readonly client: PageClient; readonly liveAtMs: number }> {
  const giveUpAtMs = performance.now() + FIRST_COUNTS_LIMIT_MS;
  for (;;) {
    try {
      const client = await openPageClient(server.url);
      stops.push(() => client.leave());
      const hasCounts = ({ counts, live }: PageClient): boolean => counts !== undefined && live;
      const liveAtMs = await client.reaches('the first counts', hasCounts, FIRST_COUNTS_LIMIT_MS, signal);
      return { client, liveAtMs };
    } catch (error) {
      signal.throwIfAborted();
      server.assertRunning();
      // Refused, or reset: the server tries its port before it begins, and opens it later.
      const isEarly =
        error instanceof Error && 'code' in error && /ECONN(REFUSED|RESET)/.test(String(error.code));
      if (!isEarly || performance.now() > giveUpAtMs) throw error;
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
