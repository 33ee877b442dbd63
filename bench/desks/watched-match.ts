import { setTimeout as sleep } from 'node:timers/promises';
import { GATES_OPEN_MINUTE } from '../../gates/simulator/arrival-curve.ts';
import type { Point } from '../../testing/statistics.ts';
import type { Program } from '../../testing/server/program.ts';
import type { DeskPage } from './desk-page.ts';

interface Watch {
  readonly lookEveryMs: number;
  readonly speed: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
}

/**
 * Looks at the heaps of the desks, one after the other, again and again until the match is over. Returns them in KB, by
 * minutes of this machine's clock; a series for each desk.
 */
export async function watchMatch(
  desks: readonly DeskPage[],
  gates: Program,
  { lookEveryMs, speed, signal, progress }: Watch,
): Promise<readonly Point[]> {
  const beganAtMs = performance.now();
  const sinceMin = (): number => (performance.now() - beganAtMs) / 60_000;
  const heaps: Point[] = [];
  const lookAtAll = async (): Promise<void> => {
    for (const [series, desk] of desks.entries())
      heaps.push({ x: sinceMin(), y: await desk.heapKb(), series });
  };
  const over = gates.ended.then(() => true);
  await lookAtAll();
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([over, sleep(lookEveryMs, false, { signal, ref: false })]);
    await lookAtAll();
    const minute = GATES_OPEN_MINUTE + sinceMin() * speed;
    const shares = desks.map((desk) => desk.share('processorMs').toFixed(2));
    const newest = heaps.slice(-desks.length).map(({ y }) => y.toFixed(0));
    progress(
      `${minute.toFixed(0)} min from kick-off · main threads ${shares.join(' ')} % · heaps ${newest.join(' ')} KB`,
    );
  }
  if ((await gates.ended) !== 0) throw new Error(`the match broke off: ${gates.stderr()}`);
  return heaps;
}
