import { setTimeout as pause } from 'node:timers/promises';
import { unhinderedNow } from './unhindered-time.ts';

/** Waits until `check` no longer throws; throws its last error after `limitMs`, in which we had a processor. */
export async function until(check: () => unknown, limitMs = 15_000): Promise<void> {
  const deadline = unhinderedNow() + limitMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (unhinderedNow() > deadline) throw error;
    }
    await pause(20);
  }
}
