import { valueAt } from './curve-value.ts';
import type { SeenShare } from './lateness.ts';
import { CORRECTION, MIN_PACE_SHARE } from './limits.ts';

/** Predictors of a forecast's error, in their usual deviations. */
export interface Signs {
  /** The recent entries beyond those of the shifted curve. */
  readonly pace: number;
  /** The shift of the curve. */
  readonly lateness: number;
}

/** The error of one match, on the logit scale, with its predictors. */
export interface SignedError {
  readonly signs: Signs;
  readonly error: number;
}

/** How errors grow with each predictor, relative to its mean. */
export interface Correction {
  readonly usual: Signs;
  readonly slopes: Signs;
}

/** Returns the predictors for shares seen at COMPARED_MIN, and the curve that was shifted to them. */
export function readSigns(usual: Float64Array, lateness: number, seen: readonly SeenShare[]): Signs {
  const [before, now] = seen.slice(-2);
  if (!before || !now) throw new RangeError('the pace needs two moments');
  const expected = Math.max(0, valueAt(usual, now.min - lateness) - valueAt(usual, before.min - lateness));
  // Chance grows with the square root of the expected share.
  const pace = (now.share - before.share - expected) / Math.sqrt(expected + MIN_PACE_SHARE);
  return { pace: pace / CORRECTION.pace.deviation, lateness: lateness / CORRECTION.lateness.deviation };
}

/**
 * Fits the slopes to these matches, optionally without the one at an index: a ridge regression towards the slopes of
 * CORRECTION, each with the weight of its number of `matches`.
 */
export function fitCorrection(matches: readonly SignedError[], without = -1): Correction {
  const count = without < 0 ? matches.length : matches.length - 1;
  let [paces, latenesses, errors] = [0, 0, 0];
  for (const [place, { signs, error }] of matches.entries()) {
    if (place === without) continue;
    paces += signs.pace;
    latenesses += signs.lateness;
    errors += error;
  }
  const usual = { pace: paces / count, lateness: latenesses / count };
  const { pace: ofPace, lateness: ofLateness } = CORRECTION;
  let [pp, ll, pl, pe, le] = [ofPace.matches, ofLateness.matches, 0, 0, 0];
  for (const [place, { signs, error }] of matches.entries()) {
    if (place === without) continue;
    const [pace, lateness] = [signs.pace - usual.pace, signs.lateness - usual.lateness];
    const left = error - errors / count - ofPace.slope * pace - ofLateness.slope * lateness;
    pp += pace * pace;
    ll += lateness * lateness;
    pl += pace * lateness;
    pe += pace * left;
    le += lateness * left;
  }
  const determinant = pp * ll - pl * pl;
  return {
    usual,
    slopes: {
      pace: ofPace.slope + (ll * pe - pl * le) / determinant,
      lateness: ofLateness.slope + (pp * le - pl * pe) / determinant,
    },
  };
}

/** Returns the expected error of a forecast beyond the mean error. */
export function expectedError({ usual, slopes }: Correction, signs: Signs): number {
  return slopes.pace * (signs.pace - usual.pace) + slopes.lateness * (signs.lateness - usual.lateness);
}
