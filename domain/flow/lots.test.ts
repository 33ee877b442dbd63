import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLot } from './lots.ts';

test.each([
  ['up to sixty, in a sector where nobody enters', 60, 0, 0, false],
  ['more than sixty there', 61, 0, 0, true],
  ['what three times the best rate passes', 300, 100, 0, false],
  ['more than that', 301, 100, 0, true],
  ['the first minutes of a sector of 6,000, which should be full in an hour', 300, 0, 6_000, false],
  ['more than three times what fills it in an hour', 301, 0, 6_000, true],
  ['so many that were taken back', -61, 0, 0, true],
  ['a file by which tickets that are in appear', 5_000, 0, 5_000, true],
])('%s', (_, count, bestPerMinute, valid, expected) => {
  expect(isLot(count, bestPerMinute, valid)).toBe(expected);
});

test('the better the rate and the more tickets, the less is a lot; a correction is one like what it corrects', () => {
  const anyCount = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(anyCount, fc.nat(1_000), fc.nat(60_000), fc.nat(500), (count, best, valid, more) => {
      expect(isLot(count, best, valid)).toBe(isLot(-count, best, valid));
      const isStill = isLot(count, best + more, valid) || isLot(count, best, valid + more);
      expect(isStill && !isLot(count, best, valid)).toBe(false);
    }),
  );
});
