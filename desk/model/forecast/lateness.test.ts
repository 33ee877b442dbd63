import { expect, test } from 'vitest';
import { valueAt } from './curve-value.ts';
import { findLateness, shiftedShare } from './lateness.ts';
import { CURVE_FROM_MIN, MAX_LATENESS_MIN } from './limits.ts';
import { CURVE_LENGTH } from './match-curve.ts';

const shareAt = (min: number): number => 0.9 / (1 + Math.exp((-20 - min) / 12));
const USUAL = Float64Array.from({ length: CURVE_LENGTH }, (_, index) => shareAt(index - CURVE_FROM_MIN));

/** Returns a crowd that comes `later` minutes later, as seen at three moments up to `min`. */
const seenAt = (min: number, later: number) =>
  [10, 5, 0].map((ago) => ({ min: min - ago, share: shareAt(min - ago - later) }));

test('a crowd that comes later is found to come as much later, also within a minute', () => {
  for (const later of [-20, -7, 0, 1, 13, 20]) {
    expect(findLateness(USUAL, seenAt(-30, later))).toBe(later);
    expect(findLateness(USUAL, seenAt(-30.4, later))).toBe(later);
  }
});

test('the lateness of a crowd is limited in both directions', () => {
  expect(findLateness(USUAL, seenAt(-20, 45))).toBe(MAX_LATENESS_MIN);
  expect(findLateness(USUAL, seenAt(-20, -45))).toBe(-MAX_LATENESS_MIN);
});

test('where nobody comes yet, no crowd is late', () => {
  const flat = new Float64Array(CURVE_LENGTH);
  expect(findLateness(flat, [{ min: -90, share: 0.01 }])).toBe(0);
});

test('the share that gets in is read from the moved curve', () => {
  const share = (shareAt(-13) - shareAt(-43)) / (1 - shareAt(-43));
  expect(shiftedShare(USUAL, 13, [-30, 0])).toBeCloseTo(share);
});

test('where all were in, all get in', () => {
  const full = new Float64Array(CURVE_LENGTH).fill(1);
  expect(shiftedShare(full, 0, [-30, 0])).toBe(1);
  expect(
    shiftedShare(
      full.map(() => 1.1),
      0,
      [-30, 0],
    ),
  ).toBe(1);
});

test('a curve is straight between its minutes, and flat beyond its ends', () => {
  const column = Float64Array.from({ length: CURVE_LENGTH }, (_, index) => index);
  expect([-121, -120, -0.25, 60, 61].map((min) => valueAt(column, min))).toEqual([0, 0, 119.75, 180, 180]);
});
