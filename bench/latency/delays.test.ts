import { expect, test } from 'vitest';
import { delaysOf } from './delays.ts';

test('each admission waits for the first total that must have it in', () => {
  const shown = [
    { total: 10, atMs: 0 },
    { total: 11, atMs: 105 },
    { total: 14, atMs: 130 },
  ];
  expect(delaysOf([100, 110, 120, 125], shown, 10)).toEqual([5, 20, 10, 5]);
});

test('an admission that is never shown is an error, not a delay', () => {
  expect(() => delaysOf([100, 110], [{ total: 1, atMs: 101 }], 0)).toThrow('never came to show 2');
});
