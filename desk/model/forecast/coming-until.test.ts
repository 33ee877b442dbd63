import { expect, test } from 'vitest';
import { comingUntilMin, type LateArrivals } from './coming-until.ts';
import { CURVE_FROM_MIN } from './limits.ts';
import { CURVE_LENGTH } from './match-curve.ts';

/** Nine in ten come; those after kick-off, four in ten, steadily within twenty minutes. */
const USUAL = Float64Array.from({ length: CURVE_LENGTH }, (_, index) => {
  const min = index - CURVE_FROM_MIN;
  return 0.5 + 0.4 * Math.min(1, Math.max(0, min / 20));
});

const until = (arrivals: Partial<LateArrivals>): number | null =>
  comingUntilMin(USUAL, { atMin: 10, ratedMin: 10, admittedShare: 0.7, sharePerMinute: 0.02, ...arrivals });

test('as many come as usual from now on, times how much faster they enter now', () => {
  // All but 2% of 0.9, at 0.02 a minute.
  expect(until({})).toBe(Math.ceil(10 + (0.2 - 0.018) / 0.02));
  // Twice as many are still to come, and enter twice as fast.
  expect(until({ admittedShare: 0.5, sharePerMinute: 0.04 })).toBe(Math.ceil(10 + (0.4 - 0.018) / 0.04));
});

test('no more come than there are tickets', () => {
  expect(until({ admittedShare: 0.95, sharePerMinute: 0.1 })).toBe(
    Math.ceil(10 + (10 * (0.05 - 0.02)) / 0.05),
  );
});

test.each([
  ['few enter', { sharePerMinute: 0.0001 }],
  ['nobody does', { sharePerMinute: 0 }],
  ['usually nobody comes any more', { atMin: 26, ratedMin: 26 }],
  ['before kick-off usually nobody came', { atMin: 0.5, ratedMin: 0 }],
] satisfies [string, Partial<LateArrivals>][])('nothing is said where %s', (_, arrivals) => {
  expect(until(arrivals)).toBeNull();
});
