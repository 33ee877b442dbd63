import type { PageClient } from '../../testing/browser/page-client.ts';
import type { ProcessUsage } from '../../testing/server/process-usage.ts';
import type { Scope } from '../benchmark.ts';
import { settingsOf } from '../desk/variants.ts';
import { openFirstClient, startServer } from '../support/server.ts';

/** The time of a match: Unix time, but `speed` times faster from `sinceMs` on. */
export interface MatchTime {
  readonly sinceMs: number;
  readonly speed: number;
}

/** A server with a desk and a record of its own, and one wall that follows it. */
export interface EqualServer {
  readonly url: string;
  readonly usage: ProcessUsage;
  readonly wall: PageClient;
}

export async function startEqualServer(
  run: Scope,
  observerUrl: string,
  recordUrl: string,
  { sinceMs, speed }: MatchTime,
): Promise<EqualServer> {
  const server = await startServer(run, observerUrl, {
    script: 'testing/desk/sped-up-server.mjs',
    env: {
      ...settingsOf('desk', recordUrl),
      FLOW_SINCE_MS: String(sinceMs),
      FLOW_SPEED: String(speed),
    },
  });
  const { client } = await openFirstClient(run, server);
  return { url: server.url, usage: server.usage, wall: client };
}
