import { CURVE_FROM_MIN } from './limits.ts';
import { CURVE_LENGTH } from './match-curve.ts';

/** Interpolates a column of values per minute at any minute to kick-off; it is flat beyond the ends. */
export function valueAt(column: Float64Array, min: number): number {
  const place = Math.min(Math.max(min + CURVE_FROM_MIN, 0), CURVE_LENGTH - 1);
  const index = Math.floor(place);
  const before = column[index] ?? 0;
  const after = column[index + 1] ?? before;
  return before + (place - index) * (after - before);
}

export function sumOf(columns: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(CURVE_LENGTH);
  for (const column of columns) {
    for (let index = 0; index < CURVE_LENGTH; index += 1)
      sum[index] = (sum[index] ?? 0) + (column[index] ?? 0);
  }
  return sum;
}

/** Returns the mean of `count` columns from their sum, optionally without one of them. */
export function meanOf(sum: Float64Array, count: number, without?: Float64Array): Float64Array {
  const mean = new Float64Array(CURVE_LENGTH);
  const left = without ? count - 1 : count;
  for (let index = 0; index < CURVE_LENGTH; index += 1) {
    mean[index] = ((sum[index] ?? 0) - (without?.[index] ?? 0)) / left;
  }
  return mean;
}
