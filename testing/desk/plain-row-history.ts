import { expectedError, fitCorrection, readSigns } from '../../desk/model/forecast/correction.ts';
import { findLateness, type SeenShare, shiftedShare } from '../../desk/model/forecast/lateness.ts';
import { valueAt } from '../../desk/model/forecast/curve-value.ts';
import { innerErrors } from '../../desk/model/forecast/inner-errors.ts';
import {
  COMPARED_MIN,
  CORRECTED_FROM_MIN,
  CURVE_FROM_MIN,
  MIN_MATCHES,
  SHIFT_FROM_MIN,
} from '../../desk/model/forecast/limits.ts';
import type { MatchCurve } from '../../desk/model/forecast/match-curve.ts';
import type { ShareQuestion, ShareRange } from '../../desk/model/forecast/row-history.ts';
import { logit, shareOf } from '../../desk/model/forecast/share.ts';

/**
 * A plain and slow model of desk/model/forecast/row-history.ts, which computes each answer from the curves.
 */
export class PlainRowHistory {
  readonly #curves: readonly MatchCurve[];
  readonly #phase: number;

  constructor(curves: readonly MatchCurve[], phase: number) {
    this.#curves = curves;
    this.#phase = phase;
  }

  usualShare(min: number): number | null {
    const telling = this.#curves.filter(({ fromMin, toMin }) => min >= fromMin && min <= toMin);
    return telling.length < MIN_MATCHES ? null : valueAt(meanShares(telling), min);
  }

  answer({ atMin, targetMin, seen }: ShareQuestion): ShareRange | null {
    const firstMin = Math.max(-CURVE_FROM_MIN, atMin - COMPARED_MIN[0]);
    const telling = this.#curves.filter(
      (curve) =>
        curve.fromMin <= firstMin && curve.toMin >= targetMin && pendingAt(curve, Math.floor(atMin)) >= 1,
    );
    if (telling.length < MIN_MATCHES) return null;
    const placeMin = atMin - this.#phase;
    const isShifted = placeMin >= -SHIFT_FROM_MIN && seen.length === COMPARED_MIN.length;
    const minute = Math.floor(placeMin);
    const isCorrected = isShifted && minute >= -CORRECTED_FROM_MIN;
    const matches = telling.map((own, index) => {
      const others = telling.toSpliced(index, 1);
      const seenThen = COMPARED_MIN.map((ago) => ({ min: minute - ago, share: shareAt(own, minute - ago) }));
      const mean = meanShares(telling, own);
      const guess = guessFrom(others, mean, isShifted ? seenThen : null, minute, targetMin);
      const error = logit(cameShare(own, minute, targetMin)) - logit(guess.share);
      return { error, signs: readSigns(mean, guess.lateness ?? 0, seenThen) };
    });
    const errors = matches.map((own, index) =>
      isCorrected
        ? own.error - expectedError(fitCorrection(matches.toSpliced(index, 1)), own.signs)
        : own.error,
    );
    const [least, most] = innerErrors(errors.toSorted((a, b) => a - b));
    const mean = meanShares(telling);
    const { share, lateness } = guessFrom(telling, mean, isShifted ? seen : null, atMin, targetMin);
    const correction = isCorrected
      ? expectedError(fitCorrection(matches), readSigns(mean, lateness ?? 0, seen))
      : 0;
    const corrected = logit(share) + correction;
    const [low, high] = [shareOf(corrected + least), shareOf(corrected + most)];
    const middle = Math.min(high, Math.max(low, shareOf(corrected)));
    return { low, middle, high, matches: telling.length, lateness };
  }
}

function guessFrom(
  curves: readonly MatchCurve[],
  mean: Float64Array,
  seen: readonly SeenShare[] | null,
  atMin: number,
  targetMin: number,
): { readonly share: number; readonly lateness: number | null } {
  if (seen) {
    const lateness = findLateness(mean, seen);
    return { share: shiftedShare(mean, lateness, [atMin, targetMin]), lateness };
  }
  const logits = curves.map((curve) => logit(cameShare(curve, atMin, targetMin))).toSorted((a, b) => a - b);
  const half = logits.length / 2;
  const median = ((logits[Math.ceil(half) - 1] ?? 0) + (logits[Math.floor(half)] ?? 0)) / 2;
  return { share: shareOf(median), lateness: null };
}

/** Returns the mean of all shares, optionally without one of them. */
function meanShares(curves: readonly MatchCurve[], without?: MatchCurve): Float64Array {
  const left = without ? curves.length - 1 : curves.length;
  return Float64Array.from({ length: curves[0]?.admitted.length ?? 0 }, (_, index) => {
    const sum = curves.reduce((so, curve) => so + shareOfIndex(curve, index), 0);
    return (sum - (without ? shareOfIndex(without, index) : 0)) / left;
  });
}

function shareOfIndex({ admitted, valid }: MatchCurve, index: number): number {
  return (admitted[index] ?? 0) / Math.max(1, valid[index] ?? 0);
}

function shareAt(curve: MatchCurve, min: number): number {
  return valueAt(
    curve.admitted.map((_, index) => shareOfIndex(curve, index)),
    min,
  );
}

function cameShare(curve: MatchCurve, atMin: number, targetMin: number): number {
  const came = valueAt(curve.admitted, targetMin) - valueAt(curve.admitted, atMin);
  return came / Math.max(1, pendingAt(curve, atMin));
}

function pendingAt({ admitted, valid }: MatchCurve, min: number): number {
  return valueAt(valid, min) - valueAt(admitted, min);
}
