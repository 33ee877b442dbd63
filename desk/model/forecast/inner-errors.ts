import { COVERAGE, LEAST_MATCHES_FOR_COVERAGE } from './limits.ts';

/** Ranks are whole numbers, but for the last digits of a share. */
const ROUNDING = 1e-9;

/**
 * Between which errors, of these and smallest first, that of another match lies with COVERAGE: as far from their mean as so
 * many of them are from the mean of the others, to both sides alike, so that no single match is an end of the range. Where
 * there are too few errors for that, between the smallest and the largest.
 */
export function innerErrors(errors: ArrayLike<number>): readonly [low: number, high: number] {
  const count = errors.length;
  if (count < LEAST_MATCHES_FOR_COVERAGE) return [errors[0] ?? 0, errors[count - 1] ?? 0];
  const rank = Math.ceil((count + 1) * COVERAGE - ROUNDING);
  const mean = Array.from(errors).reduce((sum, error) => sum + error, 0) / count;
  const deviations = Float64Array.from(
    errors,
    (error) => (Math.abs(error - mean) * count) / (count - 1),
  ).toSorted();
  const most = deviations[rank - 1] ?? 0;
  return [mean - most, mean + most];
}
