import { expect, test } from 'vitest';
import { linearScale, ticksTo } from './linear-scale.ts';

test('a scale maps both ends, what is between and beyond them, and back', () => {
  const scale = linearScale([100, 200], [50, 0]);
  expect([100, 150, 200, 220].map(scale)).toEqual([50, 25, 0, -10]);
  expect([50, 25, 0].map(scale.invert)).toEqual([100, 150, 200]);
});

test.each<[number, number, readonly number[]]>([
  [10, 5, [0, 2, 4, 6, 8, 10]],
  [43_680, 5, [0, 10_000, 20_000, 30_000, 40_000]],
  [43_680, 2, [0, 20_000, 40_000]],
  [700, 2, [0, 500]],
  [5, 2, [0, 2, 4]],
])('up to %i about %i ticks are of round numbers', (most, count, ticks) => {
  expect(ticksTo(most, count)).toEqual(ticks);
});
