import type { Benchmark, Figure, Setting } from './benchmark.ts';
import { formatNumber } from './report/table.ts';
import { bytesPerUpdate } from './first-counts/bytes-per-update.ts';
import { type BenchDatabase, startBenchDatabase } from './support/bench-database.ts';
import { firstViewerOf } from './support/first-viewer.ts';
import { openLiveViewer } from './support/live-viewer.ts';
import { type ServerProcess, startServer } from './support/server-process.ts';
import { median } from './support/percentile.ts';
import { type Stop, withStops } from './support/stops.ts';
import { sellTickets } from './support/tickets.ts';

/** What a screen costs when it comes, and with each update, as the tickets grow. */
export const firstCounts: Benchmark = {
  name: 'first-counts',
  what: 'sign-in → first counts: body bytes and time, as the tickets grow (half of them in); bytes per update',
  run: (setting) =>
    setting.quick
      ? measure(setting, { rounds: 3, viewers: 20, updates: 10 })
      : measure(setting, { rounds: 9, viewers: 200, updates: 50 }),
};

interface Extent {
  readonly rounds: number;
  /** In each round, at each size. */
  readonly viewers: number;
  readonly updates: number;
}

interface Board {
  readonly size: number;
  readonly database: BenchDatabase;
  readonly server: ServerProcess;
}

interface Round {
  readonly bodyBytes: number;
  /** All that the stream's connection has brought by then, its head included. */
  readonly wireBytes: number;
  readonly tookMs: number;
}

const SIZES = [1_000, 100_000, 1_000_000] as const;
const LIMIT_MS = 10_000;
const MOST_BODY_BYTES = 1_500;
const MOST_GROWTH = 1.05;
const MOST_UPDATE_BYTES = 300;

async function measure(setting: Setting, { rounds, viewers, updates }: Extent): Promise<readonly Figure[]> {
  const { signal, progress } = setting;
  return withStops(async (stops) => {
    const boards: Board[] = [];
    for (const size of SIZES) boards.push(await openBoard(size, signal, stops));
    const roundsBySize = new Map<number, Round[]>(SIZES.map((size) => [size, []]));
    const updateBytes: number[] = [];
    // The first requests of a server are answered by code that is not compiled yet.
    for (const board of boards) await arriveOneByOne(board, viewers, signal);
    for (let round = 0; round < rounds; round += 1) {
      const took: string[] = [];
      for (const board of boards) {
        const measured = await arriveOneByOne(board, viewers, signal);
        roundsBySize.get(board.size)?.push(measured);
        took.push(`${measured.bodyBytes} B, ${measured.tookMs.toFixed(2)} ms`);
      }
      progress(`round ${round + 1} of ${rounds}: ${took.join(' · ')}`);
      const largest = boards.at(-1);
      if (largest) updateBytes.push(await bytesPerUpdate({ ...largest, updates, round, signal }));
    }
    return figuresOf(roundsBySize, updateBytes);
  });
}

async function openBoard(size: number, signal: AbortSignal, stops: Stop[]): Promise<Board> {
  const database = await startBenchDatabase(signal);
  stops.push(() => database.stop());
  await sellTickets(database.admin, { from: 1, to: size, entered: 'half' });
  const server = await startServer(database.observerUrl);
  stops.push(() => server.stop());
  const { viewer } = await firstViewerOf(server, signal);
  viewer.leave();
  return { size, database, server };
}

/** One screen after the other, each on a connection of its own. */
async function arriveOneByOne({ server }: Board, viewers: number, signal: AbortSignal): Promise<Round> {
  const bytes: number[] = [];
  const wireBytes: number[] = [];
  const tookMs: number[] = [];
  for (let viewer = 0; viewer < viewers; viewer += 1) {
    signal.throwIfAborted();
    const startedAtMs = performance.now();
    const arrived = await openLiveViewer(server.url);
    const wait = { what: 'the first counts', limitMs: LIMIT_MS, signal };
    const hasAllAtMs = await arrived.until(({ hasAll, isLive }) => hasAll && isLive, wait);
    tookMs.push(hasAllAtMs - startedAtMs);
    bytes.push(arrived.bodyBytes);
    wireBytes.push(arrived.wireBytes);
    arrived.leave();
  }
  return { bodyBytes: median(bytes), wireBytes: median(wireBytes), tookMs: median(tookMs) };
}

function figuresOf(roundsBySize: ReadonlyMap<number, readonly Round[]>, updateBytes: number[]): Figure[] {
  const sizes = [...roundsBySize];
  const [, smallest = []] = sizes[0] ?? [];
  const [largestSize = 0, largest = []] = sizes.at(-1) ?? [];
  const ratio = (valueOf: (round: Round) => number): number[] =>
    largest.map((round, index) => valueOf(round) / valueOf(smallest[index] ?? round));
  const growth = `${formatNumber(largestSize)} beside ${formatNumber(SIZES[0])} tickets`;
  return [
    ...sizes.map(([size, rounds]): Figure => ({
      what: `body bytes to the first counts, ${formatNumber(size)} tickets`,
      unit: 'B',
      values: rounds.map(({ bodyBytes }) => bodyBytes),
      target: { atMost: MOST_BODY_BYTES },
    })),
    ...sizes.map(([size, rounds]): Figure => ({
      what: `sign-in → first counts, ${formatNumber(size)} tickets`,
      unit: 'ms',
      values: rounds.map(({ tookMs }) => tookMs),
    })),
    {
      what: `body bytes, ${growth}`,
      unit: '×',
      values: ratio(({ bodyBytes }) => bodyBytes),
      target: { atMost: MOST_GROWTH },
    },
    {
      what: `bytes on the connection, heads included, ${growth}`,
      unit: '×',
      values: ratio(({ wireBytes }) => wireBytes),
      target: { atMost: MOST_GROWTH },
    },
    {
      what: `time, ${growth}`,
      unit: '×',
      values: ratio(({ tookMs }) => tookMs),
      target: { atMost: MOST_GROWTH },
    },
    {
      what: `bytes per update on the connection, ${formatNumber(largestSize)} tickets`,
      unit: 'B',
      values: updateBytes,
      target: { atMost: MOST_UPDATE_BYTES },
    },
  ];
}
