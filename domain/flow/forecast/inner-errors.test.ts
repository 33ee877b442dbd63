import { expect, test } from 'vitest';
import { innerErrors } from './inner-errors.ts';

const firstTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

test('eight in ten lie within, and all of them where so few cannot say more', () => {
  const ranks = [3, 8, 9, 12, 18, 19, 20, 29].map((count) => innerErrors(firstTo(count)));
  expect(ranks).toEqual([
    [1, 3],
    [1, 8],
    [1, 9],
    [1, 12],
    [1, 18],
    [2, 18],
    [2, 19],
    [3, 27],
  ]);
});
