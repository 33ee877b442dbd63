import type { CDPSession } from 'playwright-core';

/** What the page's main thread has done so far, in milliseconds. */
export interface MainThread {
  /** All tasks: scripts, style, layout, paint. */
  readonly tasksMs: number;
  readonly scriptMs: number;
  readonly styleAndLayoutMs: number;
}

async function readMainThread(devTools: CDPSession): Promise<MainThread> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  const ms = (name: string): number => {
    const metric = metrics.find((one) => one.name === name);
    if (!metric) throw new Error(`this Chromium does not tell ${name}`);
    return metric.value * 1_000;
  };
  return {
    tasksMs: ms('TaskDuration'),
    scriptMs: ms('ScriptDuration'),
    styleAndLayoutMs: ms('RecalcStyleDuration') + ms('LayoutDuration'),
  };
}

/** What `work` makes it do, for each of `frames`. */
export async function perFrame(
  devTools: CDPSession,
  frames: number,
  work: () => Promise<unknown>,
): Promise<MainThread> {
  const before = await readMainThread(devTools);
  await work();
  const after = await readMainThread(devTools);
  return {
    tasksMs: (after.tasksMs - before.tasksMs) / frames,
    scriptMs: (after.scriptMs - before.scriptMs) / frames,
    styleAndLayoutMs: (after.styleAndLayoutMs - before.styleAndLayoutMs) / frames,
  };
}
