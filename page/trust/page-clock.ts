/**
 * A moment on both clocks of the page, in milliseconds: the monotonic one stops while a laptop sleeps, and the wall clock
 * may be set back.
 */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export type Clock = () => Instant;

export const pageClock: Clock = () => ({ monotonicMs: performance.now(), wallMs: Date.now() });

/**
 * A call that is unanswered for longer than this is abandoned. The limit is long because a narrow link may carry other pages
 * first; it decides when a page tries again, and nothing about trust.
 */
export const UNANSWERED_MS = 9_000;

export function earlier({ monotonicMs, wallMs }: Instant, byMs: number): Instant {
  return { monotonicMs: monotonicMs - byMs, wallMs: wallMs - byMs };
}

/** The milliseconds between two moments by the clock that measured more; never negative. */
export function elapsedMs(from: Instant, to: Instant): number {
  return Math.max(0, to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}
