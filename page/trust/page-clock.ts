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

/**
 * A call that is not answered for longer than this is given up: a narrow link may have other pages to bring first. It decides
 * when a page tries again, and nothing about trust.
 */
export const UNANSWERED_MS = 9_000;

/** The instant so many milliseconds before another. */
export function earlier({ monotonicMs, wallMs }: Instant, byMs: number): Instant {
  return { monotonicMs: monotonicMs - byMs, wallMs: wallMs - byMs };
}

/** Milliseconds from one moment to another by the clock that saw more of them; never negative. */
export function elapsedMs(from: Instant, to: Instant): number {
  return Math.max(0, to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}
