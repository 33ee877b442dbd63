import { setTimeout as sleep } from 'node:timers/promises';

/** Does something again and again at a steady rate: one that was late does not make the next ones late. */
export async function pace(
  options: { readonly perSecond: number; readonly seconds: number; readonly signal: AbortSignal },
  action: () => unknown,
): Promise<void> {
  const { perSecond, seconds, signal } = options;
  const startMs = performance.now();
  for (let time = 0; time < perSecond * seconds; time += 1) {
    const waitMs = startMs + (time * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    signal.throwIfAborted();
    await action();
  }
}
