import { COVERAGE, MIN_MATCHES_FOR_COVERAGE } from './limits.ts';

/** Ranks are whole numbers, apart from rounding errors. */
const ROUNDING = 1e-9;

/**
 * Returns the interval that contains the error of another match with COVERAGE, from sorted errors: symmetric around their
 * mean, by the deviation of each error from the mean of the others, so that no single match is an end of the range. With too
 * few errors it spans from the smallest to the largest.
 */
export function innerErrors(errors: ArrayLike<number>): readonly [low: number, high: number] {
  const count = errors.length;
  if (count < MIN_MATCHES_FOR_COVERAGE) return [errors[0] ?? 0, errors[count - 1] ?? 0];
  const rank = Math.ceil((count + 1) * COVERAGE - ROUNDING);
  const mean = Array.from(errors).reduce((sum, error) => sum + error, 0) / count;
  const deviations = Float64Array.from(
    errors,
    (error) => (Math.abs(error - mean) * count) / (count - 1),
  ).toSorted();
  const most = deviations[rank - 1] ?? 0;
  return [mean - most, mean + most];
}
