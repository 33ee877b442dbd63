import type { Browser } from 'playwright-core';
import { setTimeout as sleep } from 'node:timers/promises';

/** The last of the frames is drawn by then. */
const LAST_FRAME_MS = 200;

/** Only what tells of frames: with more, the tracing itself would hold them up. */
const CATEGORY = 'disabled-by-default-devtools.timeline.frame';

/** The part of a trace event that is read here. Source: Chromium, cc/metrics/compositor_frame_reporter.cc. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly args: {
    readonly frame_reporter?: { readonly state: string; readonly affects_smoothness: boolean };
  };
}

/** Counts the frames of all pages of this browser, of which one is shown, while `work` goes on. */
export async function countAnimationFrames(browser: Browser, work: () => Promise<unknown>) {
  const devTools = await browser.newBrowserCDPSession();
  try {
    let drawn = 0;
    let judged = 0;
    // Wanted by something that moves, and not drawn in time: what Chromium itself takes for a lack of smoothness.
    let dropped = 0;
    devTools.on('Tracing.dataCollected', ({ value }) => {
      for (const { name, ph, args } of value as unknown as readonly TraceEvent[]) {
        if (name === 'DrawFrame') drawn += 1;
        if (name !== 'PipelineReporter' || ph !== 'b') continue;
        if (args.frame_reporter?.affects_smoothness === undefined) continue;
        judged += 1;
        const { state, affects_smoothness: isSeen } = args.frame_reporter;
        if (state === 'STATE_DROPPED' && isSeen) dropped += 1;
      }
    });
    await devTools.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: [CATEGORY], excludedCategories: ['*'] },
    });
    await work();
    await sleep(LAST_FRAME_MS);
    const complete = new Promise<void>((resolve) =>
      devTools.once('Tracing.tracingComplete', () => resolve()),
    );
    await devTools.send('Tracing.end');
    await complete;
    if (drawn === 0 || judged === 0) {
      throw new Error('this Chromium does not tell which frames it drew: none can be said to be missing');
    }
    return { drawn, dropped };
  } finally {
    await devTools.detach();
  }
}
