import { elapsedMs, TICK_MS, type Clock } from './freshness.ts';

/** Two ticks further apart than this: the page slept, and what it shows may be old. */
const WAKE_GAP_MS = 5_000;

/** Where a page learns that it slept or was put away: `document` and `window`, or two EventTargets in a test. */
export interface PageEvents {
  readonly document: EventTarget & { readonly visibilityState: DocumentVisibilityState };
  readonly window: EventTarget;
}

/**
 * Calls `onTick` every TICK_MS, and `onWake` before it whenever the page may have missed something: after a
 * gap between ticks, on becoming visible, on coming back from the back/forward cache. Returns its stop.
 */
export function startTicker(
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
