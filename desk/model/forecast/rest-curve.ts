import { SUSTAINED_MINUTES } from '../series/best-rates.ts';
import { sumOf } from './curve-value.ts';
import type { EarlierMatch } from './earlier-match.ts';
import { CURVE_FROM_MIN } from './limits.ts';
import { CURVE_LENGTH, type MatchCurve } from './match-curve.ts';

/** Returns the curve of a match without some of its sectors; null if another one is missing. */
export function restCurve(
  { sectors, missing }: EarlierMatch,
  without: ReadonlySet<string>,
): MatchCurve | null {
  if (missing.some((code) => !without.has(code))) return null;
  const curves = [...sectors].flatMap(([code, curve]) => (without.has(code) ? [] : [curve]));
  if (curves.length === 0) return null;
  const fromMin = Math.max(...curves.map((curve) => curve.fromMin));
  const toMin = Math.min(...curves.map((curve) => curve.toMin));
  const known = (column: Float64Array): Float64Array =>
    column.map(
      (_, index) => column[Math.min(Math.max(index, fromMin + CURVE_FROM_MIN), toMin + CURVE_FROM_MIN)] ?? 0,
    );
  const admitted = known(sumOf(curves.map((curve) => curve.admitted)));
  return {
    admitted,
    valid: known(sumOf(curves.map((curve) => curve.valid))),
    fromMin,
    toMin,
    bestRate: bestRateOf(admitted, curves),
  };
}

/** Returns the steepest five minutes of the curve, which includes late batches, limited to the sum of the sectors' best rates. */
function bestRateOf(admitted: Float64Array, curves: readonly MatchCurve[]): number | null {
  const rates = curves.flatMap(({ bestRate }) => bestRate ?? []);
  if (rates.length === 0) return null;
  let steepest = 0;
  for (let index = SUSTAINED_MINUTES; index < CURVE_LENGTH; index += 1) {
    const entered = (admitted[index] ?? 0) - (admitted[index - SUSTAINED_MINUTES] ?? 0);
    steepest = Math.max(steepest, entered / SUSTAINED_MINUTES);
  }
  return Math.min(
    steepest,
    rates.reduce((sum, rate) => sum + rate, 0),
  );
}
