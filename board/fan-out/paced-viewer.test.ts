import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Viewer } from './fan-out.ts';
import { PacedViewer } from './paced-viewer.ts';

let takesMore: boolean;
let drained: (() => void)[];
const viewer: Viewer = {
  expiresAtMs: 7,
  send: () => takesMore,
  onDrain: (resume) => drained.push(resume),
  end() {},
  cut() {},
};
const FRAME = Buffer.from('a frame');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  [takesMore, drained] = [true, []];
});
afterEach(() => void vi.useRealTimers());

/** Sends a frame, and returns the milliseconds until the next one may be sent. */
function intervalMs(paced: Viewer): number {
  const startMs = performance.now();
  let resumedAtMs = Number.NaN;
  expect(paced.send(FRAME)).toBe(false);
  paced.onDrain(() => (resumedAtMs = performance.now()));
  vi.advanceTimersByTime(10_000);
  return resumedAtMs - startMs;
}

it('takes a frame in each interval, which is limited to that of the heartbeats', () => {
  expect(intervalMs(new PacedViewer(viewer, 500))).toBe(500);
  expect(intervalMs(new PacedViewer(viewer, 90_000))).toBe(1_500);
});

it('halves the interval every five minutes', () => {
  const paced = new PacedViewer(viewer, 1_000);
  vi.advanceTimersByTime(289_000);
  expect(intervalMs(paced)).toBe(1_000);
  vi.advanceTimersByTime(1_000);
  expect(intervalMs(paced)).toBe(500);
  vi.advanceTimersByTime(600_000);
  expect(intervalMs(paced)).toBe(125);
});

it('waits longer than the interval for a viewer whose socket is full', () => {
  const paced = new PacedViewer(viewer, 500);
  takesMore = false;
  let resumed = false;
  paced.send(FRAME);
  paced.onDrain(() => (resumed = true));
  vi.advanceTimersByTime(500);
  expect([resumed, drained.length]).toEqual([false, 1]);
  drained[0]?.();
  expect(resumed).toBe(true);
});
