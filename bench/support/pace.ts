import { setTimeout as sleep } from 'node:timers/promises';

interface Pace {
  readonly gapMs: () => number;
  readonly times: number;
  readonly signal: AbortSignal;
}

/**
 * An open model: does something again and again after these gaps, whatever those before wait for, so that their waiting
 * counts. One that was late does not make the next ones late.
 */
export async function pace<T>(options: Pace, action: () => Promise<T>): Promise<T[]> {
  return Promise.all(await beginAtPace(options, action));
}

/** As `pace`, but resolves once all have begun, with what each will come to. */
export async function beginAtPace<T>(
  { gapMs, times, signal }: Pace,
  action: () => Promise<T>,
): Promise<Promise<T>[]> {
  let dueMs = performance.now();
  const begun: Promise<T>[] = [];
  while (begun.length < times) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
    const one = action();
    // It is thrown to whoever waits for it.
    one.catch(() => {});
    begun.push(one);
    dueMs += gapMs();
  }
  return begun;
}
