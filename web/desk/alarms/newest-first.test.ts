import { expect, test } from 'vitest';
import { newestFirst } from './newest-first.ts';

test('of a long log the newest stand first, and no more than are asked for', () => {
  const log = Array.from({ length: 450 }, (_, place) => place + 1);
  const shown = newestFirst(log, 200);
  expect([shown.length, shown[0], shown.at(-1)]).toEqual([200, 450, 251]);
  expect(newestFirst([1, 2], 200)).toEqual([2, 1]);
  expect(newestFirst([], 200)).toEqual([]);
});
