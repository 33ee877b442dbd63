/**
 * The mean curve of earlier matches, from the first to the last minute that all of them tell of: no match joins or leaves on
 * the way, which would look like people who come or go.
 */
export interface UsualCurve {
  readonly matches: number;
  /** The minute to kick-off of the first value: less than zero, before it. */
  readonly fromMin: number;
  /** Of the valid tickets, one a minute. */
  readonly shares: readonly number[];
}

/** At any minute to kick-off: straight between two values, flat beyond the first and the last. */
export function usualShareAt({ fromMin, shares }: UsualCurve, min: number): number {
  const place = Math.min(Math.max(min - fromMin, 0), shares.length - 1);
  const index = Math.floor(place);
  const before = shares[index] ?? 0;
  return before + (place - index) * ((shares[index + 1] ?? before) - before);
}
