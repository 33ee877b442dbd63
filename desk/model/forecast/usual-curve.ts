/**
 * The mean curve of earlier matches, from the first to the last minute that all of them cover: a match that joined or left on
 * the way would look like people coming or going.
 */
export interface UsualCurve {
  readonly matches: number;
  /** The minute to kick-off of the first value; negative before it. */
  readonly fromMin: number;
  /** Shares of the valid tickets, one per minute. */
  readonly shares: readonly number[];
}

/** Interpolates the share at any minute to kick-off; the curve is flat beyond its ends. */
export function usualShareAt({ fromMin, shares }: UsualCurve, min: number): number {
  const place = Math.min(Math.max(min - fromMin, 0), shares.length - 1);
  const index = Math.floor(place);
  const before = shares[index] ?? 0;
  return before + (place - index) * ((shares[index + 1] ?? before) - before);
}
