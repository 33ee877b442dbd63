import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import type { Benchmark, Figure, Setting } from './benchmark.ts';
import { type BenchDatabase, openSql, startBenchDatabase } from './support/bench-database.ts';
import { firstViewerOf } from './support/first-viewer.ts';
import { figuresOf as processFiguresOf, type ProcessFigures } from './support/process-figures.ts';
import { startServer } from './support/server-process.ts';
import { withStops } from './support/stops.ts';
import { sellAnew } from './support/tickets.ts';

/** One transaction that changes every ticket: how far behind the counts fall, and at what cost. */
export const bulk: Benchmark = {
  name: 'bulk',
  what: 'all tickets entered in one transaction → counts right and live at a viewer',
  run: (setting) =>
    setting.quick
      ? measure(setting, { tickets: 100_000, rounds: 2 })
      : measure(setting, { tickets: 1_000_000, rounds: 5 }),
};

interface Extent {
  readonly tickets: number;
  readonly rounds: number;
}

interface Round {
  readonly commitMs: number;
  /** From the commit's acknowledgement to the first of its changes at the server, and from there to the end. */
  readonly beforeFirstChangeMs: number;
  readonly readingMs: number;
  readonly serverCpuMs: number;
  /** From the commit on: while the transaction writes, it reads already, and sends nothing. */
  readonly senderCpuMs: number;
  readonly memoryGrowthMb: number;
}

const LEAST_CHANGES_PER_S = 100_000;
const MOST_GROWTH_MB = 100;
const LIMIT_MS = 120_000;
/** Keepalives and catalogue checks are less than this; the changes are far more. */
const FIRST_CHANGES_BYTES = 65_536;
const LOOK_EVERY_MS = 5;

async function measure(setting: Setting, { tickets, rounds }: Extent): Promise<readonly Figure[]> {
  const { signal, progress } = setting;
  return withStops(async (stops) => {
    const database = await startBenchDatabase(signal);
    stops.push(() => database.stop());
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await sellAnew(database.admin, { from: 1, to: tickets, entered: 'none' });
      const figures = await enterAll(database, tickets, signal);
      measured.push(figures);
      const { commitMs, beforeFirstChangeMs, readingMs } = figures;
      progress(
        `round ${round + 1} of ${rounds}: transaction ${commitMs.toFixed(0)} ms, ` +
          `first change after ${beforeFirstChangeMs.toFixed(0)} ms, all after ${readingMs.toFixed(0)} ms more`,
      );
    }
    return figuresOf(tickets, measured);
  });
}

function enterAll(database: BenchDatabase, tickets: number, signal: AbortSignal): Promise<Round> {
  return withStops(async (stops) => {
    const gate = openSql(database.gatesUrl, signal);
    stops.push(() => gate.end({ timeout: 0 }));
    const server = await startServer(database.observerUrl);
    stops.push(() => server.stop());
    const { viewer } = await firstViewerOf(server, signal);
    stops.push(() => viewer.leave());
    await sleep(1_000, undefined, { signal });

    const sender = await findSender(database);
    const memoryBeforeMb = server.figures.memoryMb();
    server.figures.forgetPeak();
    const serverCpuBeforeMs = server.figures.cpuMs();
    const begunAtMs = performance.now();
    const allIn = viewer.until(({ counts, isLive }) => counts?.total === tickets && isLive, {
      what: 'the right total, live,',
      limitMs: LIMIT_MS,
      signal,
    });
    allIn.catch(() => {});
    const firstChange = watchFirstChange(server.figures);
    stops.push(() => firstChange.stop());
    const { count } = await gate`update tickets set entrou = true where event_id = ${DEFAULT_EVENT_ID}`;
    const committedAtMs = performance.now();
    const senderCpuBeforeMs = sender.cpuMs();
    if (count !== tickets) throw new Error(`${count} of ${tickets} tickets were entered`);
    const rightAtMs = await allIn;
    const firstAtMs = Math.max(committedAtMs, firstChange.atMs ?? rightAtMs);
    return {
      commitMs: committedAtMs - begunAtMs,
      beforeFirstChangeMs: firstAtMs - committedAtMs,
      readingMs: rightAtMs - firstAtMs,
      serverCpuMs: server.figures.cpuMs() - serverCpuBeforeMs,
      senderCpuMs: sender.cpuMs() - senderCpuBeforeMs,
      memoryGrowthMb: server.figures.peakMemoryMb() - memoryBeforeMb,
    };
  });
}

/** PostgreSQL's process that decodes the log for the server. */
async function findSender({ admin }: BenchDatabase): Promise<ProcessFigures> {
  const [row] = await admin<
    [{ pid: number }?]
  >`select active_pid as pid from pg_replication_slots where active`;
  if (!row) throw new Error('nobody observes the database');
  return processFiguresOf(row.pid);
}

/** Notes when the server begins to read the transaction: nothing of it is sent before its commit. */
function watchFirstChange(server: ProcessFigures): { readonly atMs: number | undefined; stop(): void } {
  let atMs: number | undefined;
  const before = server.bytesRead();
  const looking = setInterval(() => {
    if (bytesReadBy(server) - before < FIRST_CHANGES_BYTES) return;
    atMs = performance.now();
    clearInterval(looking);
  }, LOOK_EVERY_MS);
  return {
    get atMs() {
      return atMs;
    },
    stop: () => clearInterval(looking),
  };
}

/** A server that is gone, as after Ctrl-C in its terminal, is found out elsewhere. */
function bytesReadBy(server: ProcessFigures): number {
  try {
    return server.bytesRead();
  } catch {
    return 0;
  }
}

function figuresOf(tickets: number, rounds: readonly Round[]): Figure[] {
  const behindMs = ({ beforeFirstChangeMs, readingMs }: Round): number => beforeFirstChangeMs + readingMs;
  const ofAll = (valueOf: (round: Round) => number): number[] => rounds.map(valueOf);
  return [
    {
      what: 'changes per second, from commit to right and live',
      unit: 'changes/s',
      values: ofAll((round) => (tickets * 1_000) / behindMs(round)),
      target: { atLeast: LEAST_CHANGES_PER_S },
    },
    {
      what: 'server memory, growth of the peak',
      unit: 'MB',
      values: ofAll(({ memoryGrowthMb }) => memoryGrowthMb),
      target: { atMost: MOST_GROWTH_MB },
    },
    { what: 'commit → right and live', unit: 'ms', values: ofAll(behindMs) },
    {
      what: '· of this, before the first change is sent',
      unit: 'ms',
      values: ofAll(({ beforeFirstChangeMs }) => beforeFirstChangeMs),
    },
    { what: '· of this, from there to the end', unit: 'ms', values: ofAll(({ readingMs }) => readingMs) },
    { what: 'the transaction itself', unit: 'ms', values: ofAll(({ commitMs }) => commitMs) },
    { what: 'processor time of the server', unit: 'ms', values: ofAll(({ serverCpuMs }) => serverCpuMs) },
    {
      what: "processor time of PostgreSQL's walsender, from the commit on",
      unit: 'ms',
      values: ofAll(({ senderCpuMs }) => senderCpuMs),
    },
  ];
}
