import { expect, test } from 'vitest';
import { EdgesReaching, LOOK_EVERY_MS } from './edges-reaching.ts';

/** What is found by looks up to then. */
function lookUntil(edges: EdgesReaching, fromMs: number, untilMs: number): boolean {
  let isReached = false;
  for (let nowMs = fromMs; nowMs <= untilMs; nowMs += LOOK_EVERY_MS) isReached = edges.isReached(nowMs);
  return isReached;
}

test('a counter is reached from the first question of an edge on, until none has come for a second and a half', () => {
  const edges = new EdgesReaching();
  expect(lookUntil(edges, 0, 10_000)).toBe(false);
  edges.asked(10_100);
  expect(lookUntil(edges, 10_250, 11_500)).toBe(true);
  expect(lookUntil(edges, 11_750, 11_750)).toBe(false);
});

test('what a process that was held up has not read yet is not missing', () => {
  const edges = new EdgesReaching();
  edges.asked(0);
  expect(edges.isReached(0)).toBe(true);
  expect(edges.isReached(20_000)).toBe(true);
  expect(lookUntil(edges, 20_250, 22_000)).toBe(false);
});
