import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

const receivedAt = new WeakMap<IncomingMessage, number>();

/** Notes the arrival of a request, which may wait before it is answered (pace-requests.ts). */
export function noteReceived(request: IncomingMessage): void {
  receivedAt.set(request, performance.now());
}

/** Returns the arrival by `performance.now()`; now, where it was not noted. */
export function receivedAtMs(request: IncomingMessage): number {
  return receivedAt.get(request) ?? performance.now();
}
