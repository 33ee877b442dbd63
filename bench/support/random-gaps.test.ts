import { expect, test } from 'vitest';
import { randomGaps } from './random-gaps.ts';

const take = (count: number, perSecond: number, seed: number): number[] =>
  Array.from({ length: count }, randomGaps(perSecond, seed));
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test.each([15, 50, 200, 500])('gaps at %i/s are exponential', (perSecond) => {
  const gaps = take(100_000, perSecond, 7).map((gapMs) => (gapMs * perSecond) / 1_000);
  // Mean and variance are 1; half of the gaps are below ln 2, one in a hundred is above ln 100.
  expect(mean(gaps)).toBeCloseTo(1, 1);
  expect(mean(gaps.map((gap) => (gap - 1) ** 2))).toBeCloseTo(1, 1);
  expect(mean(gaps.map((gap) => Number(gap < Math.LN2)))).toBeCloseTo(0.5, 2);
  expect(mean(gaps.map((gap) => Number(gap > Math.log(100))))).toBeCloseTo(0.01, 2);
  // A gap says nothing of the next one.
  expect(mean(gaps.slice(1).map((gap, index) => (gap - 1) * ((gaps[index] ?? 0) - 1)))).toBeCloseTo(0, 1);
});

test('the same seed gives the same gaps, another one others', () => {
  expect(take(100, 50, 1)).toEqual(take(100, 50, 1));
  expect(take(100, 50, 1)).not.toEqual(take(100, 50, 2));
});
