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

test('the changes of a task are drawn at its end as one, the last of those after it at the end of the frame, none twice', async () => {
  const { source, drawn } = open();
  for (const value of [0.5, 1]) source.set(value);
  await Promise.resolve();
  expect(drawn).toEqual([1]);
  for (const value of [2, 3]) source.set(value);
  vi.advanceTimersByTime(FRAME_MS);
  expect(drawn).toEqual([1, 3]);
  vi.advanceTimersByTime(1_000);
  expect(drawn).toEqual([1, 3]);
  source.set(4);
  await Promise.resolve();
  expect(drawn).toEqual([1, 3, 4]);
});

test('changes that never stop are drawn once a frame', async () => {
  const { source, drawn } = open();
  for (let ms = 1; ms <= 50 * FRAME_MS; ms += 1) {
    source.set(ms);
    await Promise.resolve();
    vi.advanceTimersByTime(1);
  }
  expect(drawn.length).toBeGreaterThan(48);
  expect(drawn.length).toBeLessThan(53);
});

test('where there are no frames, a timer draws, and being visible again does so at once', async () => {
  const { source, drawn, show } = open({ displays: false });
  source.set(1);
  await Promise.resolve();
  source.set(2);
  expect(drawn).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(drawn).toEqual([1, 2]);
  source.set(3);
  expect(drawn).toEqual([1, 2]);
  show();
  expect(drawn).toEqual([1, 2, 3]);
});
