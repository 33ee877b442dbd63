import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { compareClocks } from './latency/clock-difference.ts';
import { openScreenTotals } from './latency/screen-totals.ts';
import { figure } from './report/figure.ts';
import { startBrowser } from './support/chromium.ts';
import { startDatabase } from './support/database.ts';
import { delaysOf } from './support/delays.ts';
import { openGates } from './support/gates.ts';
import { startLiveServer } from './support/server.ts';
import { sellTickets } from './support/tickets.ts';

interface Rate {
  readonly name: string;
  readonly perSecond: number;
  readonly mostP50Ms?: number;
  readonly mostP99Ms: number;
}

const FRAME_MS = 16.7;
const RATES: readonly Rate[] = [
  { name: 'quiet (2.5/s)', perSecond: 2.5, mostP50Ms: FRAME_MS, mostP99Ms: 50 },
  { name: 'at 50/s', perSecond: 50, mostP50Ms: FRAME_MS, mostP99Ms: 50 },
  { name: 'at 500/s', perSecond: 500, mostP99Ms: 150 },
];
const GATES = 8;
const WARM_UP = { durationMs: 3_000, perSecond: 100 };
/** Beyond it, delays of a few milliseconds could not be told from the clocks' difference. */
const MOST_CLOCK_DOUBT_MS = 3;

/** From the gate's "it is in" to the screen. */
export const latency = defineBenchmark({
  name: 'latency',
  what: 'commit acknowledged to the gate → text of the total changed in Chromium',
  full: { rounds: 3, quietMs: 80_000, busyMs: 20_000 },
  quick: { rounds: 1, quietMs: 12_000, busyMs: 3_000 },

  async setUp(run) {
    const { rounds, quietMs, busyMs } = run.scale;
    const database = await startDatabase(run);
    const loadOf = ({ perSecond }: Rate) => ({ perSecond, durationMs: perSecond < 10 ? quietMs : busyMs });
    const holders = [WARM_UP, ...Array.from({ length: rounds }, () => RATES.map(loadOf)).flat()];
    const tickets = holders.reduce((sum, load) => sum + (load.durationMs * load.perSecond) / 1_000, 0);
    await sellTickets(database.admin, { to: tickets, entered: 'none' });
    const { url } = await startLiveServer(run, database.observerUrl);
    const page = await openScreenTotals(await startBrowser(run), url);
    const letIn = await openGates(run, database.gatesUrl, GATES);
    let entered = 0;
    const measureDelays = async (load: typeof WARM_UP): Promise<number[]> => {
      const before = entered;
      const { acknowledgedAtMs } = await letIn({ ...load, firstTicket: before + 1, lastTicket: tickets });
      entered += acknowledgedAtMs.length;
      // The n-th to be acknowledged is on the screen for sure once that shows n more than before.
      const admissions = acknowledgedAtMs.map((atMs, index) => ({ total: before + index + 1, atMs }));
      return delaysOf(admissions, await page.totalsUpTo(entered));
    };
    // Programs that have just started are still being compiled; a board has been up for hours.
    await measureDelays(WARM_UP);
    return { page, measureDelays: (rate: Rate) => measureDelays(loadOf(rate)) };
  },
  groups: () => [RATES],
  async measure({ page, measureDelays }, rate) {
    const { aheadMs, doubtMs } = await compareClocks(page.clockMs);
    if (doubtMs > MOST_CLOCK_DOUBT_MS) {
      throw new Error(
        `The clocks of page and gates can be compared to ${doubtMs.toFixed(1)} ms only: the machine is too busy`,
      );
    }
    const delaysMs = (await measureDelays(rate)).map((delayMs) => delayMs - aheadMs);
    return {
      admissions: delaysMs.length,
      p50Ms: percentile(delaysMs, 0.5),
      p99Ms: percentile(delaysMs, 0.99),
      doubtMs,
    };
  },
  describe: ({ admissions, p50Ms, p99Ms }) =>
    `${admissions} admissions, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
  figures: (samples) => [
    ...RATES.flatMap(({ name, mostP50Ms, mostP99Ms }) => {
      const { p50Ms, p99Ms } = samples.of(name);
      return [
        figure(`commit → screen, p50, ${name}`, 'ms', p50Ms, mostP50Ms ? { atMost: mostP50Ms } : undefined),
        figure(`commit → screen, p99, ${name}`, 'ms', p99Ms, { atMost: mostP99Ms }),
      ];
    }),
    figure('what the two clocks may differ by, at most', 'ms', samples.all.doubtMs),
  ],
});
