import { setTimeout as sleep } from 'node:timers/promises';
import { slope } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { figure } from './report/figure.ts';
import { countAnimationFrames } from './screen/animation-frames.ts';
import { startBarePage } from './screen/bare-page.ts';
import { perFrame } from './screen/main-thread.ts';
import { heapKbOf, openPage, startBrowser } from './support/chromium.ts';
import type { TimedTotal } from './support/delays.ts';
import { pace } from './support/pace.ts';
import { openStadium } from './support/stadium.ts';

const FRAMES_PER_SECOND = 10;
/** Evenly: of several changes in one display frame, both pages draw the last one only. */
const gapMs = (): number => 1_000 / FRAMES_PER_SECOND;
const SETTLE_MS = 3_000;
const LAST_NUMBER_LIMIT_MS = 5_000;
/** The first part of the time is not like the rest: code is compiled, caches fill. */
const WARM_UP_SHARE = 0.2;
/** Flat: what a wall's screen would gain in a match of four hours is less than 2.5 MB. */
const FLAT = { atMost: 10 };
const NONE = { atMost: 0 };

/**
 * A screen for many periods; in each, one part (`measuredS`) is for the main thread's time, the next (`bareS`) for that of
 * a bare page while the board's has nothing to do, the last (`tracedS`) for the frames: tracing costs time of its own.
 */
export const screen = defineBenchmark({
  name: 'screen',
  what: `a screen of 1920 × 1080 at ${FRAMES_PER_SECOND} frames/s for ten minutes, without a graphics processor`,
  // Ten minutes, and some for the bare page. `quietS`: without a commit, before the first period.
  full: { rounds: 20, measuredS: 25, bareS: 5, tracedS: 5, quietS: 60 },
  quick: { rounds: 4, measuredS: 4, bareS: 4, tracedS: 1, quietS: 5 },

  async setUp(run) {
    const { signal } = run;
    const stadium = await openStadium(run);
    const server = await stadium.startServer(run);
    const browser = await startBrowser(run);
    const barePage = await startBarePage(run);
    const bare = await openPage(run, browser, barePage.url);
    const board = await openPage(run, browser, server.url);
    await board.page.waitForSelector('#status [data-status="live"]');
    await sleep(SETTLE_MS, undefined, { signal });
    const { quietS } = run.scale;
    const quiet = await perFrame(board.devTools, quietS * FRAMES_PER_SECOND, () =>
      sleep(quietS * 1_000, undefined, { signal }),
    );
    return { stadium, browser, barePage, bare, board, quiet, startedAtMs: performance.now() };
  },
  groups: () => [[{ name: 'period' }]],
  async measure({ stadium, browser, barePage, bare, board, startedAtMs }, _variant, { scale, signal }) {
    const { measuredS, bareS, tracedS } = scale;
    const enterFor = (seconds: number): Promise<TimedTotal[]> =>
      pace({ gapMs, times: FRAMES_PER_SECOND * seconds, signal }, () => stadium.enter());
    const own = await perFrame(board.devTools, measuredS * FRAMES_PER_SECOND, () => enterFor(measuredS));
    const { tasksMs: bareMs } = await perFrame(bare.devTools, bareS * FRAMES_PER_SECOND, () =>
      pace({ gapMs, times: FRAMES_PER_SECOND * bareS, signal }, async () => barePage.sendFrame()),
    );
    const { done: entered, ...frames } = await countAnimationFrames(browser, () => enterFor(tracedS));
    const heapKb = await heapKbOf(board);
    const atMin = (performance.now() - startedAtMs) / 60_000;
    // A screen that has stopped would be a cheap one.
    const newest = `.total data[value="${entered.at(-1)?.total}"]`;
    await board.page.waitForSelector(newest, { timeout: LAST_NUMBER_LIMIT_MS });
    return {
      ...own,
      ...frames,
      bareMs,
      boardToBare: own.tasksMs / bareMs,
      framesOfCounts: entered.length,
      undrawn: Math.max(0, entered.length - frames.drawn),
      atMin,
      heapKb,
    };
  },
  describe: ({ tasksMs, bareMs, drawn, dropped, framesOfCounts, atMin, heapKb }) =>
    `${atMin.toFixed(1)} min · ${tasksMs.toFixed(2)} ms per frame, bare page ${bareMs.toFixed(2)} · ` +
    `${heapKb.toFixed(0)} KB · ${drawn} frames drawn, ${dropped} dropped, for ${framesOfCounts} of counts`,
  figures({ all }, _scale, { quiet }) {
    const sumOf = (values: readonly number[]): number[] => [
      values.reduce((whole, value) => whole + value, 0),
    ];
    const heap = all.heapKb.map((y, period) => ({ x: all.atMin[period] ?? NaN, y }));
    const growth = slope(heap.slice(Math.floor(heap.length * WARM_UP_SHARE))) ?? NaN;
    const dropped = sumOf(all.dropped);
    const undrawn = sumOf(all.undrawn);
    return [
      figure('main-thread time per frame of counts, its flash included', 'ms', all.tasksMs, { atMost: 2 }),
      figure('of it: scripts', 'ms', all.scriptMs),
      figure('of it: style and layout', 'ms', all.styleAndLayoutMs),
      figure('main-thread time per frame, a bare page that changes two texts', 'ms', all.bareMs),
      figure('main-thread time per frame, board ÷ bare page', '×', all.boardToBare),
      figure('main-thread time per 100 ms of a quiet page', 'ms', [quiet.tasksMs]),
      figure('heap slope after the first fifth, after garbage collections', 'KB/min', [growth], FLAT),
      figure('heap', 'KB', all.heapKb),
      figure('animation frames dropped, in the traced part of each period, in all', 'frames', dropped, NONE),
      figure('frames of counts that were not drawn, in these parts, in all', 'frames', undrawn, NONE),
      figure('frames of counts in these parts, in all', 'frames', sumOf(all.framesOfCounts)),
    ];
  },
});
