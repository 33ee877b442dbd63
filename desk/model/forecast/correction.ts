import { valueAt } from './curve-value.ts';
import type { SeenShare } from './lateness.ts';
import { CORRECTION, LEAST_PACE_SHARE } from './limits.ts';

/** What is known of a match before kick-off and may tell how far its forecast is off, each in its usual deviations. */
export interface Signs {
  /** How many more entered lately than the shifted curve says. */
  readonly pace: number;
  /** By how much the curve was shifted. */
  readonly lateness: number;
}

/** What one match was off, on the logit, and what was known before. */
export interface SignedError {
  readonly signs: Signs;
  readonly error: number;
}

/** By how much errors grow with each sign, beginning at what is usual. */
export interface Correction {
  readonly usual: Signs;
  readonly slopes: Signs;
}

/** Of what was seen, in the order of COMPARED_MIN, and the curve that was shifted to it. */
export function readSigns(usual: Float64Array, lateness: number, seen: readonly SeenShare[]): Signs {
  const [before, now] = seen.slice(-2);
  if (!before || !now) throw new RangeError('the pace needs two moments');
  const expected = Math.max(0, valueAt(usual, now.min - lateness) - valueAt(usual, before.min - lateness));
  // What comes by chance grows with the root of what is expected.
  const pace = (now.share - before.share - expected) / Math.sqrt(expected + LEAST_PACE_SHARE);
  return { pace: pace / CORRECTION.pace.deviation, lateness: lateness / CORRECTION.lateness.deviation };
}

/**
 * Which slopes these matches show, without the one at a place, if that is given: a regression whose slopes are drawn (ridge)
 * to those of CORRECTION, as if so many matches had shown them before.
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

/** What a forecast with these signs is expected to be off, beyond the mean error. */
export function expectedError({ usual, slopes }: Correction, signs: Signs): number {
  return slopes.pace * (signs.pace - usual.pace) + slopes.lateness * (signs.lateness - usual.lateness);
}
