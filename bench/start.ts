import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Figure, Setting } from './benchmark.ts';
import { startBenchDatabase } from './support/bench-database.ts';
import { firstViewerOf } from './support/first-viewer.ts';
import { startServer } from './support/server-process.ts';
import { formatNumber } from './report/table.ts';
import { median } from './support/percentile.ts';
import { withStops } from './support/stops.ts';
import { sellTickets } from './support/tickets.ts';

/** Whether a start takes longer, or more memory, the more tickets there are. */
export const start: Benchmark = {
  name: 'start',
  what: 'server start → first counts at a viewer, and server memory, as the tickets grow (file cache warm)',
  run: ({ quick, ...setting }) =>
    quick
      ? measure({ ...setting, quick }, { sizes: [1_000, 100_000, 1_000_000], rounds: 2 })
      : measure({ ...setting, quick }, { sizes: [1_000, 100_000, 1_000_000, 10_000_000], rounds: 5 }),
};

interface Extent {
  /** Numbers of tickets, growing: one database goes through them all. */
  readonly sizes: readonly number[];
  readonly rounds: number;
}

interface Start {
  readonly toFirstCountsMs: number;
  readonly memoryMb: number;
  readonly peakMemoryMb: number;
}

const MOST_MS = 1_000;
const MOST_MS_SIZE = 1_000_000;
const MOST_GROWTH_MB = 10;
/** Tickets are sold so many at a time, so that a stop need not wait for all of them. */
const SOLD_AT_ONCE = 500_000;
/** What a ticket takes in table, two indexes and the log of writing them. */
const BYTES_PER_TICKET = 450;
const LOG_BYTES = 2e9;
/** Until memory is what a server keeps, not what its start left behind. */
const SETTLE_MS = 1_000;

async function measure(setting: Setting, { sizes, rounds }: Extent): Promise<readonly Figure[]> {
  const { signal, progress } = setting;
  await assertRoomFor(sizes.at(-1) ?? 0);
  return withStops(async (stops) => {
    const database = await startBenchDatabase(signal);
    stops.push(() => database.stop());
    const startsBySize = new Map<number, Start[]>();
    let sold = 0;
    for (const size of sizes) {
      while (sold < size) {
        const to = Math.min(size, sold + SOLD_AT_ONCE);
        await sellTickets(database.admin, { from: sold + 1, to, entered: 'half' });
        sold = to;
        if (size > SOLD_AT_ONCE) progress(`${formatNumber(sold)} tickets sold`);
      }
      await database.admin.unsafe('checkpoint');
      // The first one after the writes reads what they left to do, as the first vacuum has: it is not counted.
      await startOnce(database.observerUrl, signal);
      const starts: Start[] = [];
      for (let round = 0; round < rounds; round += 1)
        starts.push(await startOnce(database.observerUrl, signal));
      startsBySize.set(size, starts);
      const { toFirstCountsMs, memoryMb } = starts.at(-1) ?? { toFirstCountsMs: NaN, memoryMb: NaN };
      progress(`${formatNumber(size)} tickets: ${toFirstCountsMs.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB`);
    }
    return figuresOf(startsBySize);
  });
}

function startOnce(observerUrl: string, signal: AbortSignal): Promise<Start> {
  return withStops(async (stops) => {
    const server = await startServer(observerUrl);
    stops.push(() => server.stop());
    const { viewer, liveAtMs } = await firstViewerOf(server, signal);
    stops.push(() => viewer.leave());
    await sleep(SETTLE_MS, undefined, { signal });
    return {
      toFirstCountsMs: liveAtMs - server.spawnedAtMs,
      memoryMb: server.figures.memoryMb(),
      peakMemoryMb: server.figures.peakMemoryMb(),
    };
  });
}

function figuresOf(startsBySize: ReadonlyMap<number, readonly Start[]>): Figure[] {
  const all = [...startsBySize];
  const least = median((all[0]?.[1] ?? []).map(({ memoryMb }) => memoryMb));
  const smallest = formatNumber(all[0]?.[0] ?? 0);
  return [
    ...all.map(([size, starts]): Figure => ({
      what: `start → first counts, ${formatNumber(size)} tickets`,
      unit: 'ms',
      values: starts.map(({ toFirstCountsMs }) => toFirstCountsMs),
      ...(size === MOST_MS_SIZE ? { target: { atMost: MOST_MS } } : {}),
    })),
    ...all.flatMap(([size, starts]): Figure[] => [
      {
        what: `server memory 1 s later, ${formatNumber(size)} tickets`,
        unit: 'MB',
        values: starts.map(({ memoryMb }) => memoryMb),
      },
      {
        what: `server memory, peak, ${formatNumber(size)} tickets`,
        unit: 'MB',
        values: starts.map(({ peakMemoryMb }) => peakMemoryMb),
      },
    ]),
    ...all.slice(1).map(([size, starts]): Figure => ({
      what: `server memory, ${formatNumber(size)} less ${smallest} tickets`,
      unit: 'MB',
      values: starts.map(({ memoryMb }) => memoryMb - least),
      target: { atMost: MOST_GROWTH_MB },
    })),
  ];
}

async function assertRoomFor(tickets: number): Promise<void> {
  const folder = tmpdir();
  const { bavail, bsize } = await statfs(folder);
  const neededGb = (tickets * BYTES_PER_TICKET + LOG_BYTES) / 1e9;
  const freeGb = (bavail * bsize) / 1e9;
  if (freeGb > neededGb) return;
  throw new Error(
    `${formatNumber(tickets)} tickets need ${neededGb.toFixed(1)} GB in ${folder}, where ${freeGb.toFixed(1)} GB are free: ` +
      'make room, or set TMPDIR to a folder of a larger disk.',
  );
}
