import { MINUTE_MS } from './minute.ts';

/** More at once than a sector can pass: turnstiles that were offline and catch up, or a file. */
export interface Lot {
  readonly sector: number;
  /** Of its commit, of the last of several; of a minute that is one as a whole, its beginning. */
  readonly atMs: number;
  /** Less than zero where so many were taken back. */
  readonly count: number;
}

/** So many are never a lot. */
const LEAST = 60;
/** How many times what it can pass. */
const FACTOR = 3;
/** In how many minutes all spectators of a sector should pass its turnstiles. */
const MINUTES_TO_FILL = 60;
/** A file of a minute's readings comes at once: it brings no more than what would fill the sector in so many minutes. */
const LEAST_MINUTES_TO_FILL = 30;

/** What comes within so long of the first of an upload belongs to it. */
const UPLOAD_MS = MINUTE_MS;
/** What comes at once again before this is how these gates send, and flow: until then it is a best rate itself. */
const HABIT_MS = 5 * MINUTE_MS;

/**
 * Whether so many, in or taken back, are more than a sector can pass in a minute. `bestPerMinute` is its best mean of five
 * minutes so far, 0 where there is none: then, after a quiet spell, and where a gate that was shut lets in those who wait,
 * every first minute would be a lot, if it were not for what fills the sector in an hour.
 */
export function isLot(count: number, bestPerMinute: number, valid: number): boolean {
  const canPass = Math.max(bestPerMinute, valid / MINUTES_TO_FILL);
  return Math.abs(count) > Math.max(LEAST, FACTOR * canPass);
}

/**
 * Whether so many in one commit, or within ten seconds, were read before: people who pass turnstiles, however many waited,
 * come one after the other.
 */
export function isAtOnce(count: number, bestPerMinute: number, valid: number): boolean {
  return Math.abs(count) > Math.max(LEAST, FACTOR * bestPerMinute, valid / LEAST_MINUTES_TO_FILL);
}

/** Which of what comes at once is an upload, sector by sector. */
export class Uploads {
  /** When the last one began, of each sector: taken back, then in. */
  readonly #beganMs: Float64Array;

  constructor(sectorCount: number) {
    this.#beganMs = new Float64Array(2 * sectorCount).fill(-Infinity);
  }

  /** Of what `isAtOnce`, in the bucket that begins then. */
  isOne(sector: number, count: number, bucketMs: number): boolean {
    const way = 2 * sector + (count > 0 ? 1 : 0);
    const sinceMs = Math.abs(bucketMs - (this.#beganMs[way] ?? -Infinity));
    if (sinceMs < UPLOAD_MS) return true;
    if (sinceMs < HABIT_MS) return false;
    this.#beganMs[way] = bucketMs;
    return true;
  }
}
