import { SUSTAINED_MINUTES } from '../series/best-rates.ts';
import { valueAt } from './curve-value.ts';
import { ALL_BUT_SHARE, MIN_USUAL_SHARE } from './limits.ts';

/** Arrivals after kick-off. Minutes are relative to the kick-off that people came for; shares are of the valid tickets. */
export interface LateArrivals {
  readonly atMin: number;
  readonly admittedShare: number;
  /** The mean of the five minutes up to `ratedMin`. */
  readonly sharePerMinute: number;
  readonly ratedMin: number;
}

/**
 * Returns the minute by which all but ALL_BUT_SHARE of those who come are in: the usual rest, scaled by the current flow
 * relative to the usual one. Null if too few enter, today or usually, or if that many are in already.
 */
export function comingUntilMin(
  usual: Float64Array,
  { atMin, admittedShare, sharePerMinute, ratedMin }: LateArrivals,
): number | null {
  const usualFlow = valueAt(usual, ratedMin) - valueAt(usual, ratedMin - SUSTAINED_MINUTES);
  const now = valueAt(usual, atMin);
  const usuallyLeft = (usual.at(-1) ?? 0) - now;
  if (usualFlow < MIN_USUAL_SHARE || usuallyLeft <= 0) return null;
  const times = (sharePerMinute * SUSTAINED_MINUTES) / usualFlow;
  const left = Math.min(1 - admittedShare, times * usuallyLeft);
  const rest = ALL_BUT_SHARE * (admittedShare + left);
  if (left <= rest) return null;
  const reached = now + usuallyLeft * (1 - rest / left);
  let min = Math.ceil(atMin);
  while (valueAt(usual, min) < reached) min += 1;
  return min;
}
