import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../testing/statistics.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { figure } from './report/figure.ts';
import { formatNumber } from './report/table.ts';
import { startDatabase } from './support/database.ts';
import { openFirstClient, startServer } from './support/server.ts';
import { withStops } from './support/stops.ts';
import { sellTickets } from './support/tickets.ts';

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

const nameOf = (size: number): string => `${formatNumber(size)} tickets`;

/** Whether a start takes longer, or more memory, the more tickets there are. */
export const start = defineBenchmark({
  name: 'start',
  what: 'server start → first counts at a viewer, and server memory, as the tickets grow (file cache warm)',
  full: { sizes: [1_000, 100_000, 1_000_000, 10_000_000], rounds: 5 },
  quick: { sizes: [1_000, 100_000, 1_000_000], rounds: 2 },

  async setUp(run) {
    await assertRoomFor(run.scale.sizes.at(-1) ?? 0);
    return { database: await startDatabase(run), sold: 0 };
  },
  // One database grows through all sizes.
  groups: ({ sizes }) => sizes.map((size) => [{ name: nameOf(size), size }]),
  async measure(setup, { size }, run) {
    const { admin, observerUrl } = setup.database;
    const isGrowing = setup.sold < size;
    while (setup.sold < size) {
      const to = Math.min(size, setup.sold + SOLD_AT_ONCE);
      await sellTickets(admin, { from: setup.sold + 1, to, entered: 'half' });
      setup.sold = to;
      if (size > SOLD_AT_ONCE) run.progress(`${nameOf(to)} sold`);
    }
    if (isGrowing) {
      await admin`checkpoint`;
      // The first start after the writes reads what they left to do, as the first vacuum has: it is not counted.
      await withStops((stops) => startOnce({ signal: run.signal, stops }, observerUrl));
    }
    return startOnce(run, observerUrl);
  },
  describe: ({ toFirstCountsMs, memoryMb }) => `${toFirstCountsMs.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB`,
  figures({ of }, { sizes }) {
    const [smallest = 0, ...larger] = sizes;
    const least = median(of(nameOf(smallest)).memoryMb);
    return [
      ...sizes.map((size) => {
        const target = size === MOST_MS_SIZE ? { atMost: MOST_MS } : undefined;
        return figure(
          `start → first counts, ${nameOf(size)}`,
          'ms',
          of(nameOf(size)).toFirstCountsMs,
          target,
        );
      }),
      ...sizes.flatMap((size) => {
        const { memoryMb, peakMemoryMb } = of(nameOf(size));
        return [
          figure(`server memory 1 s later, ${nameOf(size)}`, 'MB', memoryMb),
          figure(`server memory, peak, ${nameOf(size)}`, 'MB', peakMemoryMb),
        ];
      }),
      ...larger.map((size) => {
        const growth = of(nameOf(size)).memoryMb.map((memoryMb) => memoryMb - least);
        const what = `server memory, ${formatNumber(size)} less ${nameOf(smallest)}`;
        return figure(what, 'MB', growth, { atMost: MOST_GROWTH_MB });
      }),
    ];
  },
});

async function startOnce(scope: Scope, observerUrl: string) {
  const server = await startServer(scope, observerUrl);
  const { liveAtMs } = await openFirstClient(scope, server);
  await sleep(SETTLE_MS, undefined, { signal: scope.signal });
  return {
    toFirstCountsMs: liveAtMs - server.spawnedAtMs,
    memoryMb: server.usage.memoryMb(),
    peakMemoryMb: server.usage.peakMemoryMb(),
  };
}

async function assertRoomFor(tickets: number): Promise<void> {
  const folder = tmpdir();
  const { bavail, bsize } = await statfs(folder);
  const neededGb = (tickets * BYTES_PER_TICKET + LOG_BYTES) / 1e9;
  const freeGb = (bavail * bsize) / 1e9;
  if (freeGb > neededGb) return;
  throw new Error(
    `${nameOf(tickets)} need ${neededGb.toFixed(1)} GB in ${folder}, where ${freeGb.toFixed(1)} GB are free: ` +
      'make room, or set TMPDIR to a folder of a larger disk.',
  );
}
