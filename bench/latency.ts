import type { Benchmark, Figure, Setting } from './benchmark.ts';
import { compareClocks } from './latency/clock-difference.ts';
import { delaysOf } from './latency/delays.ts';
import { openShownPage, type ShownPage } from './latency/shown-page.ts';
import { startBenchDatabase } from './support/bench-database.ts';
import { launchChromium } from './support/chromium.ts';
import { firstViewerOf } from './support/first-viewer.ts';
import { type GateCrew, openGateCrew } from './support/gate-crew.ts';
import { startServer } from './support/server-process.ts';
import { percentile } from './support/percentile.ts';
import { withStops } from './support/stops.ts';
import { sellTickets } from './support/tickets.ts';

/** From the gate's "it is in" to the screen. */
export const latency: Benchmark = {
  name: 'latency',
  what: 'commit acknowledged to the gate → text of the total changed in Chromium',
  run: (setting) =>
    setting.quick
      ? measure(setting, { rounds: 1, quietMs: 12_000, busyMs: 3_000 })
      : measure(setting, { rounds: 3, quietMs: 80_000, busyMs: 20_000 }),
};

interface Extent {
  readonly rounds: number;
  readonly quietMs: number;
  readonly busyMs: number;
}

interface Pace {
  readonly name: string;
  readonly perSecond: number;
  readonly mostP50Ms?: number;
  readonly mostP99Ms: number;
}

const FRAME_MS = 16.7;
const PACES: readonly Pace[] = [
  { name: 'quiet (2.5/s)', perSecond: 2.5, mostP50Ms: FRAME_MS, mostP99Ms: 50 },
  { name: 'at 50/s', perSecond: 50, mostP50Ms: FRAME_MS, mostP99Ms: 50 },
  { name: 'at 500/s', perSecond: 500, mostP99Ms: 150 },
];
const GATES = 8;
const WARM_UP = { durationMs: 3_000, perSecond: 100 };
/** Beyond it, delays of a few milliseconds could not be told from the clocks' difference. */
const MOST_CLOCK_DOUBT_MS = 3;

interface Stage {
  readonly pace: Pace;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(setting: Setting, extent: Extent): Promise<readonly Figure[]> {
  const { signal, progress } = setting;
  const shiftOf = ({ perSecond }: Pace) => ({
    perSecond,
    durationMs: perSecond < 10 ? extent.quietMs : extent.busyMs,
  });
  const holders = (shift: typeof WARM_UP): number => Math.round((shift.durationMs * shift.perSecond) / 1_000);
  const tickets =
    holders(WARM_UP) + extent.rounds * PACES.reduce((sum, pace) => sum + holders(shiftOf(pace)), 0);
  return withStops(async (stops) => {
    const database = await startBenchDatabase(signal);
    stops.push(() => database.stop());
    await sellTickets(database.admin, { from: 1, to: tickets, entered: 'none' });
    const server = await startServer(database.observerUrl);
    stops.push(() => server.stop());
    const { viewer } = await firstViewerOf(server, signal);
    viewer.leave();
    const browser = await launchChromium(signal);
    stops.push(() => browser.close());
    const page = await openShownPage(browser, server.url, signal);
    const crew = await openGateCrew(database.gatesUrl, GATES, signal);
    stops.push(() => crew.stop());

    let entered = 0;
    const work = async (shift: typeof WARM_UP): Promise<number[]> => {
      const before = entered;
      const range = { firstTicket: before + 1, lastTicket: before + holders(shift) };
      const { acknowledgedAtMs } = await crew.work({ ...shift, ...range });
      entered += acknowledgedAtMs.length;
      return delaysOf(acknowledgedAtMs, await page.showingsUpTo(entered), before);
    };
    // Programs that have just started are still being compiled; a board has been up for hours.
    await work(WARM_UP);
    const stages: Stage[] = [];
    const doubtsMs: number[] = [];
    for (let round = 0; round < extent.rounds; round += 1) {
      for (const pace of PACES) {
        const clocks = await readClocks(page, crew);
        doubtsMs.push(clocks.doubtMs);
        const delaysMs = (await work(shiftOf(pace))).map((delayMs) => delayMs - clocks.correctionMs);
        const stage = { pace, p50Ms: percentile(delaysMs, 0.5), p99Ms: percentile(delaysMs, 0.99) };
        stages.push(stage);
        progress(
          `round ${round + 1} of ${extent.rounds}, ${pace.name}, ${delaysMs.length} admissions: ` +
            `p50 ${stage.p50Ms.toFixed(1)} ms, p99 ${stage.p99Ms.toFixed(1)} ms`,
        );
      }
    }
    return figuresOf(stages, doubtsMs);
  });
}

async function readClocks(page: ShownPage, crew: GateCrew): ReturnType<typeof compareClocks> {
  const clocks = await compareClocks(
    () => page.clockMs(),
    () => crew.clockMs(),
  );
  if (clocks.doubtMs <= MOST_CLOCK_DOUBT_MS) return clocks;
  throw new Error(
    `The clocks of page and gates can be compared to ${clocks.doubtMs.toFixed(1)} ms only: the machine is too busy`,
  );
}

function figuresOf(stages: readonly Stage[], doubtsMs: readonly number[]): Figure[] {
  const perPace = PACES.flatMap((pace): Figure[] => {
    const own = stages.filter((stage) => stage.pace === pace);
    return [
      {
        what: `commit → screen, p50, ${pace.name}`,
        unit: 'ms',
        values: own.map(({ p50Ms }) => p50Ms),
        ...(pace.mostP50Ms === undefined ? {} : { target: { atMost: pace.mostP50Ms } }),
      },
      {
        what: `commit → screen, p99, ${pace.name}`,
        unit: 'ms',
        values: own.map(({ p99Ms }) => p99Ms),
        target: { atMost: pace.mostP99Ms },
      },
    ];
  });
  return [...perPace, { what: 'what the two clocks may differ by, at most', unit: 'ms', values: doubtsMs }];
}
