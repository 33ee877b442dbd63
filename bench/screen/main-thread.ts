import type { CDPSession } from 'playwright-core';

/** What `work` makes a page's main thread do, in milliseconds for each of `frames`. */
export async function perFrame(devTools: CDPSession, frames: number, work: () => Promise<unknown>) {
  const before = await readMetrics(devTools);
  await work();
  const after = await readMetrics(devTools);
  const ms = (name: string): number => {
    const [from, to] = [before.get(name), after.get(name)];
    if (from === undefined || to === undefined) throw new Error(`this Chromium does not tell ${name}`);
    return ((to - from) * 1_000) / frames;
  };
  return {
    // All tasks: scripts, style, layout, paint.
    tasksMs: ms('TaskDuration'),
    scriptMs: ms('ScriptDuration'),
    styleAndLayoutMs: ms('RecalcStyleDuration') + ms('LayoutDuration'),
  };
}

/** What a page has done so far; durations in seconds. */
async function readMetrics(devTools: CDPSession): Promise<ReadonlyMap<string, number>> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}
