import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { type BenchDatabase, openSql } from '../support/bench-database.ts';
import { openLiveViewer } from '../support/live-viewer.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { median } from '../support/percentile.ts';
import { withStops } from '../support/stops.ts';
import { ticketId } from '../support/tickets.ts';

export interface Updates {
  readonly database: BenchDatabase;
  readonly server: ServerProcess;
  readonly updates: number;
  /** Rounds let different holders in. */
  readonly round: number;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 10_000;

/** What one admission sends to a viewer, the coding of its chunk included. */
export function bytesPerUpdate(options: Updates): Promise<number> {
  const { database, server, updates, round, signal } = options;
  return withStops(async (stops) => {
    const gate = openSql(database.gatesUrl, signal);
    stops.push(() => gate.end({ timeout: 0 }));
    const viewer = await openLiveViewer(server.url);
    stops.push(() => viewer.leave());
    const wait = { what: 'an update', limitMs: LIMIT_MS, signal };
    await viewer.until(({ hasAll, isLive }) => hasAll && isLive, wait);
    const bytes: number[] = [];
    for (let update = 0; update < updates; update += 1) {
      const { total = 0 } = viewer.counts ?? {};
      const before = viewer.wireBytes;
      // Those with odd numbers have not entered.
      const id = ticketId(2 * (round * updates + update) + 1);
      const { count } = await gate`
        update public.tickets set entrou = true
        where event_id = ${DEFAULT_EVENT_ID} and id = ${id} and not entrou`;
      if (count !== 1) throw new Error(`ticket ${id} is missing, or has entered before`);
      await viewer.until(({ counts }) => counts?.total === total + 1, wait);
      bytes.push(viewer.wireBytes - before);
    }
    return median(bytes);
  });
}
