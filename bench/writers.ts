import type { Benchmark, Setting } from './benchmark.ts';
import { formatNumber } from './report/table.ts';
import { type BenchDatabase, startBenchDatabase } from './support/bench-database.ts';
import { openGateCrew, type ShiftReport } from './support/gate-crew.ts';
import { percentile } from './support/percentile.ts';
import { withStops } from './support/stops.ts';
import { sellAnew } from './support/tickets.ts';
import { ATTACHMENTS, type Attachment } from './writers/attachments.ts';
import { type Attached, figuresOf, type Load, type LoadMeasure } from './writers/figures.ts';

/** What the board costs the gates, beside what the usual way to tell of changes would cost them. */
export const writers: Benchmark = {
  name: 'writers',
  what: "a gate's commits without the board, with it and one viewer, with a bare reader of the log, with triggers + NOTIFY",
  run: (setting) =>
    setting.quick
      ? measure(setting, { rounds: 2, pacedMs: 2_000, fullMs: 1_000, tickets: 60_000 })
      : measure(setting, { rounds: 6, pacedMs: 5_000, fullMs: 3_000, tickets: 200_000 }),
};

interface Extent {
  /** Many and short: what else goes on at the machine then meets all alike. */
  readonly rounds: number;
  readonly pacedMs: number;
  readonly fullMs: number;
  /** New in each round for each attachment: each of them enters once. */
  readonly tickets: number;
}

const PER_SECOND = 500;
/** A server that has just started is still compiling its code. */
const WARM_UP_MS = 2_000;

const LOADS: readonly Load[] = [
  { name: 'paced', gates: 8, perSecond: PER_SECOND },
  { name: 'full8', gates: 8 },
  { name: 'full32', gates: 32 },
];

async function measure(setting: Setting, extent: Extent): Promise<ReturnType<typeof figuresOf>> {
  const { signal, progress } = setting;
  return withStops(async (stops) => {
    // Autovacuum would come to the help, or in the way, of one of them by chance.
    const database = await startBenchDatabase(signal, { autovacuum: 'off' });
    stops.push(() => database.stop());
    const rounds: Attached<LoadMeasure>[] = [];
    for (let round = 0; round < extent.rounds; round += 1) {
      const measured: Partial<Attached<LoadMeasure>> = {};
      for (const attachment of inTurn(ATTACHMENTS, round)) {
        measured[attachment.name] = await measureAttached(attachment, database, extent, signal);
        progress(
          `round ${round + 1} of ${extent.rounds}, ${attachment.name}: ${toldOf(measured[attachment.name])}`,
        );
      }
      rounds.push(measured as Attached<LoadMeasure>);
    }
    return figuresOf(rounds, PER_SECOND);
  });
}

/** Each round begins with another one: none has always the freshest machine. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

function measureAttached(
  attachment: Attachment,
  database: BenchDatabase,
  extent: Extent,
  signal: AbortSignal,
): Promise<LoadMeasure> {
  return withStops(async (stops) => {
    await sellAnew(database.admin, { from: 1, to: extent.tickets, entered: 'none' });
    await attachment.attach(database, signal, stops);
    const measured: Partial<LoadMeasure> = {};
    let nextTicket = 1;
    for (const load of LOADS) {
      const crew = await openGateCrew(database.gatesUrl, load.gates, signal);
      stops.push(() => crew.stop());
      const shift = async (durationMs: number, perSecond?: number): Promise<ShiftReport> => {
        const pace = perSecond === undefined ? {} : { perSecond };
        const tickets = { firstTicket: nextTicket, lastTicket: extent.tickets };
        const report = await crew.work({ ...tickets, durationMs, ...pace });
        nextTicket += report.latenciesMs.length;
        return report;
      };
      await shift(WARM_UP_MS, load.perSecond);
      const durationMs = load.perSecond === undefined ? extent.fullMs : extent.pacedMs;
      measured[load.name] = summaryOf(await shift(durationMs, load.perSecond));
      // The next load must not share the machine with these gates.
      await crew.stop();
    }
    return measured as LoadMeasure;
  });
}

function summaryOf({ latenciesMs, elapsedMs }: ShiftReport): LoadMeasure[Load['name']] {
  return {
    perSecond: (latenciesMs.length * 1_000) / elapsedMs,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

function toldOf(measured: LoadMeasure | undefined): string {
  if (!measured) return 'nothing';
  const { paced, full8, full32 } = measured;
  return [
    `at ${PER_SECOND}/s p50 ${paced.p50Ms.toFixed(2)} ms, p99 ${paced.p99Ms.toFixed(2)} ms`,
    `8 gates ${formatNumber(full8.perSecond)}/s`,
    `32 gates ${formatNumber(full32.perSecond)}/s`,
  ].join(' · ');
}
