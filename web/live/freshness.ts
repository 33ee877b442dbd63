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
/** Two ticks further apart than this: the page slept, and what it shows may be old. */
const WAKE_GAP_MS = 5_000;

/** Milliseconds from one moment to another by the clock that saw more of them; never negative. */
export function elapsedMs(from: Instant, to: Instant): number {
  return Math.max(0, to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}

/** Where a page learns that it slept or was put away: `document` and `window`, or two EventTargets in a test. */
export interface PageEvents {
  readonly document: EventTarget & { readonly visibilityState: DocumentVisibilityState };
  readonly window: EventTarget;
}

/**
 * Calls `onTick` every TICK_MS, and `onWake` before it whenever the page may have missed something: after a
 * gap between ticks, on becoming visible, on coming back from the back/forward cache. Returns its stop.
 */
export function watchTime(
  clock: Clock,
  page: PageEvents,
  on: { readonly wake: () => void; readonly tick: () => void },
): () => void {
  let last = clock();
  const tick = (awoke: boolean) => {
    const now = clock();
    if (awoke || elapsedMs(last, now) > WAKE_GAP_MS) on.wake();
    last = now;
    on.tick();
  };
  const onVisibility = () => {
    if (page.document.visibilityState === 'visible') tick(true);
  };
  // Every load fires pageshow as well, and late when a part stalls: only a page taken from the cache has slept.
  const onPageShow = (event: Event) => {
    if ('persisted' in event && event.persisted === true) tick(true);
  };
  const timer = setInterval(() => tick(false), TICK_MS);
  page.document.addEventListener('visibilitychange', onVisibility);
  page.window.addEventListener('pageshow', onPageShow);
  return () => {
    clearInterval(timer);
    page.document.removeEventListener('visibilitychange', onVisibility);
    page.window.removeEventListener('pageshow', onPageShow);
  };
}
