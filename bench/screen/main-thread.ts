import type { CDPSession } from 'playwright-core';

/** What a page's main thread has done, in milliseconds. */
export interface MainThread {
  /** All tasks: scripts, style, layout, paint. By the clock: while one waits for a processor, it counts. */
  readonly tasksMs: number;
  /** Of a processor: what waited counts nothing. */
  readonly processorMs: number;
  /** These two by the clock, as all tasks. */
  readonly scriptMs: number;
  readonly styleAndLayoutMs: number;
}

/** What `work` makes a page's main thread do, for each of `frames`. */
export async function perFrame(
  devTools: CDPSession,
  frames: number,
  work: () => Promise<unknown>,
): Promise<MainThread> {
  const before = await readMainThread(devTools);
  await work();
  const after = await readMainThread(devTools);
  const ms = (part: keyof MainThread): number => (after[part] - before[part]) / frames;
  return {
    tasksMs: ms('tasksMs'),
    processorMs: ms('processorMs'),
    scriptMs: ms('scriptMs'),
    styleAndLayoutMs: ms('styleAndLayoutMs'),
  };
}

/** What it has done so far. */
export async function readMainThread(devTools: CDPSession): Promise<MainThread> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  const ms = (name: string): number => {
    const seconds = metrics.find((metric) => metric.name === name)?.value;
    if (seconds === undefined) throw new Error(`this Chromium does not tell ${name}`);
    return seconds * 1_000;
  };
  return {
    tasksMs: ms('TaskDuration'),
    processorMs: ms('ThreadTime'),
    scriptMs: ms('ScriptDuration'),
    styleAndLayoutMs: ms('RecalcStyleDuration') + ms('LayoutDuration'),
  };
}
