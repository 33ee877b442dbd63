import { expect, test } from 'vitest';
import { innerErrors } from './inner-errors.ts';

const firstTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

test('up to eight errors, all of them lie within: so few cannot say more', () => {
  expect([3, 8].map((count) => innerErrors(firstTo(count)))).toEqual([
    [1, 3],
    [1, 8],
  ]);
});

test('from nine on, as many deviations as make eight in ten do, each from the mean of the others', () => {
  // Deviations 0, 1, 1, … 4, 4 of nine, each ⅛ longer without the own error: the eighth of them.
  expect(innerErrors(firstTo(9))).toEqual([5 - 4 * (9 / 8), 5 + 4 * (9 / 8)]);
  // The eleventh of twelve, and the seventeenth of twenty.
  expect(innerErrors(firstTo(12))).toEqual([6.5 - 5.5 * (12 / 11), 6.5 + 5.5 * (12 / 11)]);
  expect(innerErrors(firstTo(20))).toEqual([10.5 - 8.5 * (20 / 19), 10.5 + 8.5 * (20 / 19)]);
});

test('of nine, one that is far off is no end of the range', () => {
  const [low, high] = innerErrors([-1.2, -0.9, -0.6, -0.3, 0.3, 0.6, 0.9, 1.2, 90]);
  expect(low).toBeGreaterThan(-5);
  expect(high).toBeLessThan(25);
});
