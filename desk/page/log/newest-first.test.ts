import { expect, test } from 'vitest';
import { newestFirst } from './newest-first.ts';

const rowAt = (seq: number, atMs = 1_000 * seq) => ({ seq, atMs });

test('of a long log the newest stand first, and no more than are asked for', () => {
  const log = Array.from({ length: 450 }, (_, place) => rowAt(place + 1));
  const shown = newestFirst(log, 200).map(({ seq }) => seq);
  expect([shown.length, shown[0], shown.at(-1)]).toEqual([200, 450, 251]);
  expect(newestFirst([rowAt(1), rowAt(2)], 200)).toEqual([rowAt(2), rowAt(1)]);
  expect(newestFirst([], 200)).toEqual([]);
});

test('what is recorded later of an earlier instant stands below; of the same instant, above', () => {
  const log = [rowAt(1, 5_000), rowAt(2, 3_000), rowAt(3, 5_000)];
  expect(newestFirst(log, 200).map(({ seq }) => seq)).toEqual([3, 1, 2]);
});
