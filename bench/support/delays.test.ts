import { expect, test } from 'vitest';
import { delaysOf } from './delays.ts';

const admissions = [100, 110, 120, 125].map((atMs, index) => ({ total: 11 + index, atMs }));

test('each admission waits for the first total that must have it in', () => {
  const arrivals = [
    { total: 10, atMs: 0 },
    { total: 11, atMs: 105 },
    { total: 14, atMs: 130 },
  ];
  expect(delaysOf(admissions, arrivals)).toEqual([5, 20, 10, 5]);
});

test('an admission that is never shown is an error, not a delay', () => {
  expect(() => delaysOf(admissions, [{ total: 11, atMs: 101 }])).toThrow('the total 12 never arrived');
});
