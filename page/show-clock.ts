import type { VenueClock } from '../domain/live-message.ts';
import type { ReadableStore } from './store.ts';
import type { Status } from './trust/status.ts';

/** Timers may fire a moment early, so a tick is scheduled this long after the second. */
const AFTER_SECOND_MS = 5;

/**
 * While counts come more often than this, a tick waits for the next counts and is drawn in their frame: a screen's load is
 * the number of frames that it draws.
 */
const WAIT_FOR_COUNTS_MS = 120;

/**
 * Displays the venue's clock behind `place` while the page is live: where nobody enters, nothing else distinguishes the
 * board from a frozen browser. It needs no React, is hidden from screen readers, and follows `state` as long as the page lives.
 * Returns a function that updates the clock at once.
 */
export function showClock(
  place: Element,
  state: ReadableStore<{ readonly status: Status }>,
  readClock: () => VenueClock | undefined,
): () => void {
  const time = document.createElement('time');
  time.className = 'clock';
  time.setAttribute('aria-hidden', 'true');
  const text = time.appendChild(new Text());
  let isLive = false;
  let isDue = false;
  let changedAtMs = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tick = () => {
    clearTimeout(timer);
    isDue = false;
    const clock = isLive ? readClock() : undefined;
    if (!clock) {
      time.remove();
      return;
    }
    const { unixMs, utcOffsetMs } = clock;
    text.data = new Date(unixMs + utcOffsetMs).toISOString().slice(11, 19);
    time.dateTime = new Date(unixMs).toISOString();
    if (!time.isConnected) place.after(time);
    timer = setTimeout(due, 1_000 + AFTER_SECOND_MS - (unixMs % 1_000));
  };
  const due = () => {
    isDue = performance.now() - changedAtMs < WAIT_FOR_COUNTS_MS;
    if (isDue) timer = setTimeout(tick, WAIT_FOR_COUNTS_MS);
    else tick();
  };
  const follow = () => {
    changedAtMs = performance.now();
    const wasLive = isLive;
    isLive = state.get().status.kind === 'live';
    if (isDue || isLive !== wasLive) tick();
  };
  state.subscribe(follow);
  follow();
  return tick;
}
