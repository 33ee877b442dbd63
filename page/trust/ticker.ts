import { PAGE_TICK_MS } from '../../domain/freshness.ts';
import { elapsedMs, type Clock } from './page-clock.ts';

/** Two ticks further apart than this: the page slept, and what it shows may be old. */
const WAKE_GAP_MS = 5_000;

/**
 * Calls `on.tick` every PAGE_TICK_MS, and `on.wake` before it whenever the page may have missed something: after a
 * gap between ticks, on becoming visible, on coming back from the back/forward cache. Returns its stop.
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
  // Every load fires pageshow, late when a part stalls. Only a page that comes from the cache has slept.
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
