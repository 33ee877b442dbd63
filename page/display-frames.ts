import { createStore, type ReadableStore } from './store.ts';

/** A hidden page has no display frames. */
const WITHOUT_FRAMES_MS = 100;

/**
 * A copy of `source` that changes at most once in a display frame of `window`. The first change after a quiet frame is
 * copied at once, with all changes of the same task (an opened stream is not drawn without its first messages); others are
 * copied at the end of the frame, and when the page becomes visible.
 */
export function atDisplayFrames<T>(source: ReadableStore<T>, window: Window): ReadableStore<T> {
  const { document } = window;
  const drawn = createStore(source.get());
  let frame: number | undefined;
  let timer: number | undefined;
  let isDue = false;

  const draw = () => {
    isDue = false;
    drawn.set(source.get());
    frame ??= window.requestAnimationFrame(endFrame);
    timer ??= window.setTimeout(endFrame, WITHOUT_FRAMES_MS);
  };
  const endFrame = () => {
    if (frame !== undefined) window.cancelAnimationFrame(frame);
    window.clearTimeout(timer);
    frame = timer = undefined;
    if (!Object.is(drawn.get(), source.get())) draw();
  };
  source.subscribe(() => {
    if (frame !== undefined || isDue) return;
    isDue = true;
    queueMicrotask(draw);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') endFrame();
  });
  return drawn;
}
