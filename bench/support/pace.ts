import { setTimeout as sleep } from 'node:timers/promises';

/**
 * An open model: does something again and again after these gaps, whatever those before wait for, so that their waiting
 * counts. One that was late does not make the next ones late.
 */
export async function pace<T>(
  options: { readonly gapMs: () => number; readonly times: number; readonly signal: AbortSignal },
  action: () => Promise<T>,
): Promise<T[]> {
  const { gapMs, times, signal } = options;
  let dueMs = performance.now();
  const begun: Promise<T>[] = [];
  while (begun.length < times) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
    const one = action();
    // It is thrown at the end.
    one.catch(() => {});
    begun.push(one);
    dueMs += gapMs();
  }
  return Promise.all(begun);
}
