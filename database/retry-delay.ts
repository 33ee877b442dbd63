const FIRST_DELAY_MS = 100;

/** Returns the pause after this number of failures in a row, from 1 on: exponential up to a limit, with jitter. */
export function retryDelayMs(failures: number, maxDelayMs: number): number {
  const jitter = 0.5 + Math.random() / 2;
  return Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), maxDelayMs) * jitter;
}
