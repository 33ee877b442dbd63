import { setTimeout as pause } from 'node:timers/promises';

/** Returns `undefined` if it takes longer. */
export async function withinLimit<T>(asked: Promise<T>, limitMs: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = pause(limitMs, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([asked, late]);
  } finally {
    timer.abort();
    asked.catch(() => {});
  }
}
