import type { Browser } from 'playwright-core';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPage } from '../support/open-page.ts';
import { pace } from '../support/pace.ts';
import type { Turnstile } from '../support/turnstile.ts';
import { startBarePage } from './bare-page.ts';
import { type AnimationFrames, countAnimationFrames } from './animation-frames.ts';
import { type MainThread, perFrame } from './main-thread.ts';

/** A screen for many periods; in each, one part is for the main thread's time and another for the frames. */
export interface Watch {
  readonly periods: number;
  readonly measuredS: number;
  /** The same of a bare page, while the board's has nothing to do. */
  readonly bareS: number;
  /** Tracing costs time of its own, so that the main thread is not measured then. */
  readonly tracedS: number;
  /** Without a commit, before the first period. */
  readonly quietS: number;
}

export interface Watched {
  /** For each tenth of a second in which no number changed. */
  readonly quiet: MainThread;
  readonly periods: readonly Period[];
}

export interface Period {
  /** For each frame of counts. */
  readonly perFrame: MainThread;
  readonly bare: MainThread;
  readonly animation: AnimationFrames;
  /** While these were watched. */
  readonly framesOfCounts: number;
  /** At its end: minutes since the first commit, and what is left after a garbage collection. */
  readonly atMin: number;
  readonly heapKb: number;
}

export const FRAMES_PER_SECOND = 10;
const VIEWPORT = { width: 1_920, height: 1_080 };
const SETTLE_MS = 3_000;
const LAST_NUMBER_LIMIT_MS = 5_000;

export async function watchScreen(
  browser: Browser,
  url: string,
  turnstile: Turnstile,
  watch: Watch,
  options: { readonly signal: AbortSignal; readonly onPeriod: (period: Period) => void },
): Promise<Watched> {
  const { signal, onPeriod } = options;
  const enterFor = (seconds: number): Promise<void> =>
    pace({ perSecond: FRAMES_PER_SECOND, seconds, signal }, async () => void (await turnstile.enter()));
  const { page, devTools, close } = await openPage(browser, VIEWPORT);
  const barePage = await startBarePage();
  const bareView = await openPage(browser, VIEWPORT);
  try {
    await bareView.page.goto(barePage.url);
    await bareView.devTools.send('Performance.enable');
    await page.goto(url);
    await page.waitForSelector('#status [data-status="live"]');
    await devTools.send('Performance.enable');
    await sleep(SETTLE_MS, undefined, { signal });
    const { quietS, measuredS, bareS, tracedS } = watch;
    const quiet = await perFrame(devTools, quietS * FRAMES_PER_SECOND, () =>
      sleep(quietS * 1_000, undefined, { signal }),
    );
    const periods: Period[] = [];
    const startMs = performance.now();
    while (periods.length < watch.periods) {
      const mainThread = await perFrame(devTools, measuredS * FRAMES_PER_SECOND, () => enterFor(measuredS));
      const bare = await perFrame(bareView.devTools, bareS * FRAMES_PER_SECOND, () =>
        pace({ perSecond: FRAMES_PER_SECOND, seconds: bareS, signal }, async () => barePage.sendFrame()),
      );
      const animation = await countAnimationFrames(browser, () => enterFor(tracedS));
      await devTools.send('HeapProfiler.collectGarbage');
      const { usedSize } = await devTools.send('Runtime.getHeapUsage');
      const atMin = (performance.now() - startMs) / 60_000;
      const framesOfCounts = tracedS * FRAMES_PER_SECOND;
      const period = {
        perFrame: mainThread,
        bare,
        animation,
        framesOfCounts,
        atMin,
        heapKb: usedSize / 1_024,
      };
      periods.push(period);
      onPeriod(period);
    }
    // A screen that has stopped would be a cheap one.
    await page.waitForSelector(`.total data[value="${turnstile.total}"]`, { timeout: LAST_NUMBER_LIMIT_MS });
    return { quiet, periods };
  } finally {
    await bareView.close();
    barePage.stop();
    await close();
  }
}
