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
