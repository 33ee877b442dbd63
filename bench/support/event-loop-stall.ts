import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** The longest stall of this process's event loop since the last call. */
export function longestStallMs(): number {
  const longestMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
  delay.reset();
  return longestMs;
}
