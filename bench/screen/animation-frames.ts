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
export async function countAnimationFrames<T>(browser: Browser, work: () => Promise<T>) {
  const devTools = await browser.newBrowserCDPSession();
  try {
    const events: TraceEvent[] = [];
    devTools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
    await devTools.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: [CATEGORY], excludedCategories: ['*'] },
    });
    const done = await work();
    await sleep(LAST_FRAME_MS);
    const complete = new Promise((resolve) => devTools.once('Tracing.tracingComplete', resolve));
    await devTools.send('Tracing.end');
    await complete;
    const drawn = events.filter(({ name }) => name === 'DrawFrame').length;
    const judged = events
      .filter(({ name, ph }) => name === 'PipelineReporter' && ph === 'b')
      .flatMap(({ args }) => args.frame_reporter ?? [])
      .filter((frame) => frame.affects_smoothness !== undefined);
    if (drawn === 0 || judged.length === 0) {
      throw new Error('this Chromium does not tell which frames it drew: none can be said to be missing');
    }
    // Wanted by something that moves, and not drawn in time: what Chromium itself takes for a lack of smoothness.
    const dropped = judged.filter(
      (frame) => frame.state === 'STATE_DROPPED' && frame.affects_smoothness,
    ).length;
    return { drawn, dropped, done };
  } finally {
    await devTools.detach();
  }
}
