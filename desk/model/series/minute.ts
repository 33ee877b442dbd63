/** How long a minute is, and a bucket, in milliseconds. Both begin at multiples of their length. */
export const MINUTE_MS = 60_000;
export const BUCKET_MS = 10_000;
/** How long minutes are kept in memory: a day. */
export const KEPT_MS = 24 * 60 * MINUTE_MS;

/** One minute of one event whose both ends were watched. */
export interface Minute {
  /** When it began: milliseconds since 1970, a multiple of MINUTE_MS. */
  readonly minuteMs: number;
  /** The rows of the venue in their order, then the others. */
  readonly sectors: readonly MinuteOfSector[];
}

/** `net` is `entered - reverted + moved`. */
export interface MinuteOfSector {
  /** How many were in at the minute's end. */
  readonly admitted: number;
  /** How many more than at its beginning; less than zero where more were taken back than entered. */
  readonly net: number;
  /** These three are null where the watching was interrupted within the minute. */
  readonly entered: number | null;
  /** Entries taken back, by a correction, a deletion or a truncation. */
  readonly reverted: number | null;
  /** Admitted tickets that came from other sectors and events, less those that went there. */
  readonly moved: number | null;
  /** How many tickets were valid at the minute's end. */
  readonly valid: number;
  /** The part of `net` that came in lots (lots.ts): it is in no rate and no peak. */
  readonly lots: number;
}

/** When the minute begins in which that is. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** When the bucket begins in which that is. */
export function bucketOf(atMs: number): number {
  return Math.floor(atMs / BUCKET_MS) * BUCKET_MS;
}
