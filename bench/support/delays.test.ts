import { expect, test } from 'vitest';
import { delaysOf, delaysUntil } from './delays.ts';

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

test('an admission that has not come by the end has waited until then', () => {
  const arrivals = [{ total: 12, atMs: 115 }];
  expect(delaysUntil(200, admissions, arrivals)).toEqual({ delaysMs: [15, 5, 80, 75], missing: 2 });
  expect(delaysUntil(200, admissions, [])).toEqual({ delaysMs: [100, 90, 80, 75], missing: 4 });
});
