import { PAGE_TICK_MS } from '../../domain/freshness.ts';
import { elapsedMs, type Clock } from './page-clock.ts';

/** After a longer gap between ticks the page has slept, and its data may be old. */
const WAKE_GAP_MS = 5_000;

/**
 * Calls `on.tick` every PAGE_TICK_MS, and `on.wake` before it when the page may have missed something: after a gap between
 * ticks, on becoming visible, on returning from the back/forward cache. Returns the function that stops it.
 */
export function startTicker(
  clock: Clock,
  document: EventTarget & { readonly visibilityState: DocumentVisibilityState },
  window: EventTarget,
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
    if (document.visibilityState === 'visible') tick(true);
  };
  // Every load fires pageshow; only a page from the cache has slept.
  const onPageShow = (event: Event) => {
    if ((event as PageTransitionEvent).persisted) tick(true);
  };
  const timer = setInterval(() => tick(false), PAGE_TICK_MS);
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('pageshow', onPageShow);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('pageshow', onPageShow);
  };
}
