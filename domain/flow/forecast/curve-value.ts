import { CURVE_FROM_MIN } from './limits.ts';
import { CURVE_LENGTH } from './match-curve.ts';

/** Of a column with a value a minute, at any minute to kick-off: straight between two, flat beyond the ends. */
export function valueAt(column: Float64Array, min: number): number {
  const place = Math.min(Math.max(min + CURVE_FROM_MIN, 0), CURVE_LENGTH - 1);
  const index = Math.floor(place);
  const before = column[index] ?? 0;
  const after = column[index + 1] ?? before;
  return before + (place - index) * (after - before);
}

export function meanOf(columns: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(CURVE_LENGTH);
  for (const column of columns) {
    for (const [index, value] of column.entries()) mean[index] = (mean[index] ?? 0) + value / columns.length;
  }
  return mean;
}
