import { setTimeout as sleep } from 'node:timers/promises';

/** Does something again and again at a steady rate: one that was late does not make the next ones late. */
export async function pace<T>(
  options: { readonly perSecond: number; readonly seconds: number; readonly signal: AbortSignal },
  action: () => T | Promise<T>,
): Promise<T[]> {
  const { perSecond, seconds, signal } = options;
  const startMs = performance.now();
  const results: T[] = [];
  while (results.length < perSecond * seconds) {
    const waitMs = startMs + (results.length * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
    results.push(await action());
  }
  return results;
}
