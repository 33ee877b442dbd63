import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

const receivedAt = new WeakMap<IncomingMessage, number>();

/** Notes that a request came in now; it may wait before it is answered (pace-requests.ts). */
export function noteReceived(request: IncomingMessage): void {
  receivedAt.set(request, performance.now());
}

/** When it came in, by `performance.now()`; now, where nobody noted it. */
export function receivedAtMs(request: IncomingMessage): number {
  return receivedAt.get(request) ?? performance.now();
}
