/**
 * A moment on both clocks of the page, in milliseconds. Neither is enough: the monotonic one stops while a
 * laptop sleeps, the wall clock may be set back.
 */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export type Clock = () => Instant;

export const pageClock: Clock = () => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/** Nothing heard for longer than this: what is shown is no longer live, and the stream counts as dead. */
export const STALE_AFTER_MS = 9_000;
export const TICK_MS = 1_000;

/** Milliseconds from one moment to another by the clock that saw more of them; never negative. */
export function elapsedMs(from: Instant, to: Instant): number {
  return Math.max(0, to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}
