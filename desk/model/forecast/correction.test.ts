import { expect, test } from 'vitest';
import { expectedError, fitCorrection, readSigns, type Signs } from './correction.ts';
import { CORRECTION, CURVE_FROM_MIN } from './limits.ts';
import { CURVE_LENGTH } from './match-curve.ts';

/** One in a hundred enters a minute, from the first minute on. */
const STEADY = Float64Array.from({ length: CURVE_LENGTH }, (_, index) => Math.min(1, index / 100));
const NONE: Signs = { pace: 0, lateness: 0 };

const seen = (lastFive: number) => {
  const before = (CURVE_FROM_MIN - 65) / 100;
  return [
    { min: -70, share: before - 0.05 },
    { min: -65, share: before },
    { min: -60, share: before + lastFive },
  ];
};

/** Returns matches whose errors depend on their signs with these slopes. */
const matchesOf = (count: number, pace: number, lateness: number) =>
  Array.from({ length: count }, (_, n) => {
    const signs = { pace: Math.sin(3 * n), lateness: Math.cos(5 * n) };
    return { signs, error: 0.2 + pace * signs.pace + lateness * signs.lateness };
  });

test('a pace as expected is no sign, a faster one is positive, a slower one negative', () => {
  expect(readSigns(STEADY, 0, seen(0.05)).pace).toBeCloseTo(0);
  expect(readSigns(STEADY, 0, seen(0.06)).pace).toBeCloseTo(
    0.01 / Math.sqrt(0.06) / CORRECTION.pace.deviation,
  );
  expect(readSigns(STEADY, 0, seen(0.02)).pace).toBeLessThan(0);
  expect(readSigns(STEADY, -8, seen(0.05)).lateness).toBe(-8 / CORRECTION.lateness.deviation);
});

test('without a moment to compare there is no pace', () => {
  expect(() => readSigns(STEADY, 0, seen(0.05).slice(2))).toThrow('two moments');
});

test('where nobody was expected, an entry is no infinite sign', () => {
  const { pace } = readSigns(new Float64Array(CURVE_LENGTH), 0, seen(0.001));
  expect(pace).toBeCloseTo(0.001 / 0.1 / CORRECTION.pace.deviation);
});

test('many matches show their own slopes', () => {
  const { slopes } = fitCorrection(matchesOf(5_000, 0.4, -0.3));
  expect(slopes.pace).toBeCloseTo(0.4, 2);
  expect(slopes.lateness).toBeCloseTo(-0.3, 1);
});

test('few matches hardly move the slopes that are assumed', () => {
  const { slopes } = fitCorrection(matchesOf(3, 0.4, -0.3));
  expect(Math.abs(slopes.pace - CORRECTION.pace.slope)).toBeLessThan(0.1);
  expect(Math.abs(slopes.lateness - CORRECTION.lateness.slope)).toBeLessThan(0.05);
});

test('matches that are all alike show nothing beyond what is assumed', () => {
  const alike = Array.from({ length: 12 }, () => ({ signs: { pace: 1, lateness: 1 }, error: 0.5 }));
  const correction = fitCorrection(alike);
  expect(correction.slopes).toEqual({ pace: CORRECTION.pace.slope, lateness: CORRECTION.lateness.slope });
  expect(expectedError(correction, { pace: 1, lateness: 1 })).toBe(0);
});

test('a match that is left out shows nothing', () => {
  const matches = matchesOf(12, 0.4, -0.3);
  const without = fitCorrection(matches.with(4, { signs: NONE, error: 1_000 }), 4);
  expect(without).toEqual(fitCorrection(matches.toSpliced(4, 1)));
});
