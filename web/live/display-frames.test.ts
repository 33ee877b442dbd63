import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atDisplayFrames } from './display-frames.ts';
import { createStore } from './store.ts';

const FRAME_MS = 16;

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** A window whose display may stand still. */
function open({ displays = true } = {}) {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const window = {
    document,
    requestAnimationFrame: (draw: () => void) => (displays ? setTimeout(draw, FRAME_MS) : 1),
    cancelAnimationFrame: clearTimeout,
    setTimeout,
    clearTimeout,
  };
  const source = createStore(0);
  const drawn: number[] = [];
  const copy = atDisplayFrames(source, window as unknown as Window);
  copy.subscribe(() => drawn.push(copy.get()));
  return { source, drawn, show: () => document.dispatchEvent(new Event('visibilitychange')) };
}

test('the first change is drawn at once, the last of those after it at the end of the frame, none twice', () => {
  const { source, drawn } = open();
  for (const value of [1, 2, 3]) source.set(value);
  expect(drawn).toEqual([1]);
  vi.advanceTimersByTime(FRAME_MS);
  expect(drawn).toEqual([1, 3]);
  vi.advanceTimersByTime(1_000);
  expect(drawn).toEqual([1, 3]);
  source.set(4);
  expect(drawn).toEqual([1, 3, 4]);
});

test('changes that never stop are drawn once a frame', () => {
  const { source, drawn } = open();
  for (let ms = 1; ms <= 50 * FRAME_MS; ms += 1) {
    source.set(ms);
    vi.advanceTimersByTime(1);
  }
  expect(drawn.length).toBeGreaterThan(48);
  expect(drawn.length).toBeLessThan(53);
});

test('where there are no frames, a timer draws, and being visible again does so at once', () => {
  const { source, drawn, show } = open({ displays: false });
  for (const value of [1, 2]) source.set(value);
  expect(drawn).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(drawn).toEqual([1, 2]);
  source.set(3);
  expect(drawn).toEqual([1, 2]);
  show();
  expect(drawn).toEqual([1, 2, 3]);
});
