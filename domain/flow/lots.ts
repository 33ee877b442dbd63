/** More at once than a sector can pass: turnstiles that were offline and catch up, or a file. */
export interface Lot {
  readonly sector: number;
  /** Of its commit; of a minute that is one as a whole, its beginning. */
  readonly atMs: number;
  /** Less than zero where so many were taken back. */
  readonly count: number;
}

/** So many at once are never a lot. */
const MOST_AT_ONCE = 60;
/** How many times what it can pass. */
const FACTOR = 3;
/** In how many minutes all spectators of a sector should pass its turnstiles. */
const MINUTES_TO_FILL = 60;

/**
 * Whether so many, in or taken back, are more than a sector can pass, at once or in a minute. `bestPerMinute` is its best
 * mean of five minutes so far, 0 where there is none: then, and after a quiet spell, every first minute would be a lot, if
 * it were not for what fills the sector in an hour.
 */
export function isLot(count: number, bestPerMinute: number, valid: number): boolean {
  const canPass = Math.max(bestPerMinute, valid / MINUTES_TO_FILL);
  return Math.abs(count) > Math.max(MOST_AT_ONCE, FACTOR * canPass);
}
