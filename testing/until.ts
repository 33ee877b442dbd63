import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Waits until `check` no longer throws; throws its last error after `limitMs`, in which we had a processor. */
export async function until(check: () => unknown, limitMs?: number): Promise<void> {
  await untilGiven(check, limitMs);
}

/** As `until`, for what `give` returns then. */
export async function untilGiven<T>(give: () => T, limitMs = 15_000): Promise<Awaited<T>> {
  const begunMs = unhinderedNow();
  for (;;) {
    try {
      return await give();
    } catch (error) {
      if (unhinderedNow() > begunMs + limitMs) throw error;
    }
    // What takes long is asked for less often: a look at a page takes milliseconds of the processor.
    await pause(Math.min(100, Math.max(20, (unhinderedNow() - begunMs) / 10)));
  }
}

/**
 * As `performance.now()`, but it stands still while this process could run and has no processor: what is measured by it
 * is what the product does, on a machine that does other things, too. On an idle one both are the same.
 */
export function unhinderedNow(): number {
  return performance.now() - processorWaitMs(process.pid);
}

/** To less than a millisecond. */
export function unixNow(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * How long the first thread of a process has waited for a processor since it began (schedstat, the second number; Linux
 * only: elsewhere nothing is known). 0 for one that is gone.
 */
export function processorWaitMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
