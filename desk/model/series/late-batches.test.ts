import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MINUTE_MS } from './minute.ts';
import { isAtOnce, isLateBatch, Uploads } from './late-batches.ts';

test.each([
  ['up to sixty, in a sector where nobody enters', 60, 0, 0, false],
  ['more than sixty there', 61, 0, 0, true],
  ['what three times the best rate passes', 300, 100, 0, false],
  ['more than that', 301, 100, 0, true],
  ['the first minutes of a sector of 6,000, which should be full in an hour', 300, 0, 6_000, false],
  ['more than three times what fills it in an hour', 301, 0, 6_000, true],
  ['as many that were taken back', -61, 0, 0, true],
  ['a file by which tickets that are in appear', 5_000, 0, 5_000, true],
])('%s', (_, count, bestPerMinute, valid, expected) => {
  expect(isLateBatch(count, bestPerMinute, valid)).toBe(expected);
});

test('the better the rate and the more tickets, the less is a late batch; a correction is one like what it corrects', () => {
  const anyCount = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(anyCount, fc.nat(1_000), fc.nat(60_000), fc.nat(500), (count, best, valid, more) => {
      expect(isLateBatch(count, best, valid)).toBe(isLateBatch(-count, best, valid));
      const isStill = isLateBatch(count, best + more, valid) || isLateBatch(count, best, valid + more);
      expect(isStill && !isLateBatch(count, best, valid)).toBe(false);
    }),
  );
});

test.each([
  ['up to sixty at once, in a sector where nobody enters', 60, 0, 0, false],
  ['a hundred and ninety-five at once, where no minute brought more than 29', 195, 29, 5_803, true],
  ['what three of its best minutes bring', 300, 100, 0, false],
  ['more than that', 301, 100, 0, true],
  ["a file with a minute's readings of those who waited at turnstiles for 5,803", 193, 29, 5_803, false],
  ['as many that were taken back', -195, 29, 5_803, true],
])('%s', (_, count, bestPerMinute, valid, expected) => {
  expect(isAtOnce(count, bestPerMinute, valid)).toBe(expected);
});

test('what comes at once for longer than a minute is how these gates send, until they have not for a while', () => {
  const uploads = new Uploads(2);
  const startMs = Date.UTC(2026, 4, 3, 18);
  const isOne = (seconds: number, sector = 0, count = 200): boolean =>
    uploads.isOne(sector, count, startMs + seconds * 1_000);
  expect([0, 10, 50].map((second) => isOne(second))).toEqual([true, true, true]);
  expect([60, 120, 290].map((second) => isOne(second))).toEqual([false, false, false]);
  expect(isOne(70, 1)).toBe(true);
  expect(isOne(70, 0, -200)).toBe(true);
  expect([300, 350, 360].map((second) => isOne(second))).toEqual([true, true, false]);
  // The clock was set back.
  expect(isOne((-24 * 60 * MINUTE_MS) / 1_000)).toBe(true);
});
