import { setTimeout as pause } from 'node:timers/promises';

/** Waits until `check` no longer throws; throws its last error after `limitMs`. */
export async function until(check: () => unknown, limitMs = 15_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await pause(20);
  }
}
