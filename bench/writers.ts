import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { type Figure, figure, ratiosOf, valuesOf } from './report/figure.ts';
import { formatNumber } from './report/table.ts';
import { startDatabase } from './support/database.ts';
import { type LoadReport, startLoadGenerator } from './support/load-generator.ts';
import { withStops } from './support/stops.ts';
import { sellAnew } from './support/tickets.ts';
import { ATTACHMENTS } from './writers/attachments.ts';

const PER_SECOND = 500;
/** A server that has just started is still compiling its code. */
const WARM_UP_MS = 2_000;
const MOST_LATENCY = 1.1;
/** "Clearly ahead": more than two runs of the same differ. */
const LEAST_AHEAD_OF_NOTIFY = 1.2;

/** `perSecond` absent: as many as the gates can. */
const LOADS: readonly { readonly gates: number; readonly perSecond?: number }[] = [
  { gates: 8, perSecond: PER_SECOND },
  { gates: 8 },
  { gates: 32 },
];

/** What the board costs the gates, beside what the usual way to tell of changes would cost them. */
export const writers = defineBenchmark({
  name: 'writers',
  what: "a gate's commits without the board, with it and one viewer, with a bare reader of the log, with triggers + NOTIFY",
  // Many rounds, and short: what else goes on at the machine then meets all alike.
  full: { rounds: 6, pacedMs: 5_000, fullMs: 3_000, tickets: 200_000 },
  quick: { rounds: 2, pacedMs: 2_000, fullMs: 1_000, tickets: 60_000 },

  // Autovacuum would come to the help, or in the way, of one of them by chance.
  setUp: (run) => startDatabase(run, { autovacuum: 'off' }),
  groups: () => [ATTACHMENTS],
  async measure(database, attachment, run) {
    const { tickets, pacedMs, fullMs } = run.scale;
    await sellAnew(database.admin, { to: tickets, entered: 'none' });
    await attachment.attach(database, run);
    let nextTicket = 1;
    const reports: LoadReport[] = [];
    for (const { gates, perSecond } of LOADS) {
      // The next load must not share the machine with these gates.
      await withStops(async (stops) => {
        const generator = await startLoadGenerator({ ...run, stops }, database.gatesUrl, gates);
        const work = async (durationMs: number): Promise<LoadReport> => {
          const load = { firstTicket: nextTicket, lastTicket: tickets, durationMs, perSecond };
          const report = await generator.run(load);
          nextTicket += report.latenciesMs.length;
          return report;
        };
        await work(WARM_UP_MS);
        reports.push(await work(perSecond === undefined ? fullMs : pacedMs));
      });
    }
    const [paced, full8, full32] = reports;
    return {
      p50: percentile(paced?.latenciesMs ?? [], 0.5),
      p99: percentile(paced?.latenciesMs ?? [], 0.99),
      full8: commitsPerSecond(full8),
      full32: commitsPerSecond(full32),
    };
  },
  describe: ({ p50, p99, full8, full32 }) =>
    `at ${PER_SECOND}/s p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms · ` +
    `8 gates ${formatNumber(full8)}/s · 32 gates ${formatNumber(full32)}/s`,
  figures(samples) {
    const nothing = samples.of('nothing');
    const board = samples.of('board');
    const reader = samples.of('reader');
    const notify = samples.of('notify');
    const of = (what: string, unit: string, key: keyof (typeof board)[number]): Figure[] =>
      ATTACHMENTS.map(({ name, label }) =>
        figure(`${what}, ${label}`, unit, valuesOf(samples.of(name), key)),
      );
    const latency = (key: 'p50' | 'p99'): Figure[] => {
      const what = `commit at ${PER_SECOND}/s, ${key}`;
      return of(what, 'ms', key).concat(
        figure(`${what}, board beside none`, '×', ratiosOf(board, nothing, key), { atMost: MOST_LATENCY }),
        figure(`${what}, reader beside none`, '×', ratiosOf(reader, nothing, key)),
        figure(`${what}, board beside reader`, '×', ratiosOf(board, reader, key)),
        figure(`${what}, NOTIFY beside none`, '×', ratiosOf(notify, nothing, key)),
      );
    };
    const throughput = (gates: 8 | 32): Figure[] => {
      const what = `full load, ${gates} gates`;
      const key = `full${gates}` as const;
      return of(what, 'commits/s', key).concat(
        figure(`${what}, board beside NOTIFY`, '×', ratiosOf(board, notify, key), {
          atLeast: LEAST_AHEAD_OF_NOTIFY,
        }),
        figure(`${what}, board beside none`, '×', ratiosOf(board, nothing, key)),
        figure(`${what}, board beside reader`, '×', ratiosOf(board, reader, key)),
        figure(`${what}, NOTIFY beside none`, '×', ratiosOf(notify, nothing, key)),
      );
    };
    return [latency('p50'), latency('p99'), throughput(8), throughput(32)].flat();
  },
});

function commitsPerSecond(report: LoadReport | undefined): number {
  return report ? (report.latenciesMs.length * 1_000) / report.elapsedMs : NaN;
}
