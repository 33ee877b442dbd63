import { COVERAGE } from './limits.ts';

/** Ranks are whole numbers, but for the last digits of a share. */
const ROUNDING = 1e-9;

/**
 * Between which of these errors, smallest first, that of another match lies with COVERAGE: as many ranks as that leaves are
 * cut off at each end. Where there are too few errors for that, between the smallest and the largest.
 */
export function innerErrors(errors: ArrayLike<number>): readonly [low: number, high: number] {
  const ranks = errors.length + 1;
  const outside = (ranks * (1 - COVERAGE)) / 2;
  const lower = Math.max(1, Math.floor(outside + ROUNDING));
  const upper = Math.min(errors.length, Math.ceil(ranks - outside - ROUNDING));
  return [errors[lower - 1] ?? 0, errors[upper - 1] ?? 0];
}
