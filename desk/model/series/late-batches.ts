import { MINUTE_MS } from './minute.ts';

/** More entries at once than a sector can pass: turnstiles that were offline and catch up, or a file. */
export interface LateBatch {
  readonly sector: number;
  /** The time of its last commit; where a whole minute is one, the minute's beginning. */
  readonly atMs: number;
  /** Negative where entries were reverted. */
  readonly count: number;
}

/** Fewer entries are never a late batch. */
const MIN_ENTRIES = 60;
/** A late batch has more than this many times the entries that the sector can pass. */
const FACTOR = 3;
const MINUTES_TO_FILL = 60;
/** A gate may send a minute's readings as one file, which does not bring more than would fill the sector in this many minutes. */
const MIN_MINUTES_TO_FILL = 30;

/** Bursts within this long of the first one belong to the same upload. */
const UPLOAD_MS = MINUTE_MS;
/** A burst that repeats sooner than this is flow: the gates send in bursts, which raise the best rate meanwhile. */
const HABIT_MS = 5 * MINUTE_MS;

/**
 * Whether `count` entries, or reverted ones, are more than a sector can pass in a minute. `bestPerMinute` is its best mean
 * of five minutes so far, 0 without one. The capacity to fill the sector in an hour is always granted: otherwise the first
 * minute, or the first after a pause, would always be a late batch.
 */
export function isLateBatch(count: number, bestPerMinute: number, valid: number): boolean {
  const canPass = Math.max(bestPerMinute, valid / MINUTES_TO_FILL);
  return Math.abs(count) > Math.max(MIN_ENTRIES, FACTOR * canPass);
}

/**
 * Whether `count` entries in one commit, or within ten seconds, were read earlier: people pass turnstiles one after the
 * other.
 */
export function isAtOnce(count: number, bestPerMinute: number, valid: number): boolean {
  return Math.abs(count) > Math.max(MIN_ENTRIES, FACTOR * bestPerMinute, valid / MIN_MINUTES_TO_FILL);
}

/** Distinguishes uploads from gates that always send in bursts, by sector. */
export class Uploads {
  /** When the last upload of each sector began: of reverted entries, then of entries. */
  readonly #beganMs: Float64Array;

  constructor(sectorCount: number) {
    this.#beganMs = new Float64Array(2 * sectorCount).fill(-Infinity);
  }

  /** Whether entries of this bucket that arrived in one burst (`isAtOnce`) are an upload. */
  isOne(sector: number, count: number, bucketMs: number): boolean {
    const way = 2 * sector + (count > 0 ? 1 : 0);
    const sinceMs = Math.abs(bucketMs - (this.#beganMs[way] ?? -Infinity));
    if (sinceMs < UPLOAD_MS) return true;
    if (sinceMs < HABIT_MS) return false;
    this.#beganMs[way] = bucketMs;
    return true;
  }
}
