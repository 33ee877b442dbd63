/** The lengths of a minute and of a bucket. Both begin at multiples of their length. */
export const MINUTE_MS = 60_000;
export const BUCKET_MS = 10_000;
/** How long minutes stay in memory. */
export const KEPT_MS = 24 * 60 * MINUTE_MS;

/** One minute of one event, both ends of which were observed. */
export interface Minute {
  /** When it began: milliseconds since 1970, a multiple of MINUTE_MS. */
  readonly minuteMs: number;
  /** The rows of the venue in their order, then the others. */
  readonly sectors: readonly MinuteOfSector[];
}

/** `net` is `entered - reverted + moved`. */
export interface MinuteOfSector {
  /** The count at the minute's end. */
  readonly admitted: number;
  /** The change of that count within the minute; negative where more entries were reverted than made. */
  readonly net: number;
  /** `entered`, `reverted` and `moved` are null where observation was interrupted within the minute. */
  readonly entered: number | null;
  /** Entries taken back, by a correction, a deletion or a truncation. */
  readonly reverted: number | null;
  /** Admitted tickets that came from other sectors and events, less those that went there. */
  readonly moved: number | null;
  /** Valid tickets at the minute's end. */
  readonly valid: number;
  /** The part of `net - moved` that came in late batches (late-batches.ts): no rate and no peak includes it. */
  readonly lots: number;
}

type Flow = Pick<MinuteOfSector, 'net' | 'moved' | 'lots'>;

/** Returns the net entries without late batches and without tickets that were moved: nobody passed a gate with those. */
export function flowOf({ net, moved, lots }: Flow): number {
  return net - (moved ?? 0) - lots;
}

/** Returns how many entered beside late batches; where that is not known, by how much the count grew beside them. */
export function entriesOf({ entered, ...flow }: Flow & Pick<MinuteOfSector, 'entered'>): number {
  return Math.max(0, flow.lots === 0 ? (entered ?? flow.net) : flowOf(flow));
}

export function hasEntries(minute: Parameters<typeof entriesOf>[0]): boolean {
  return entriesOf(minute) > 0;
}

/** Returns the beginning of the minute that contains `atMs`. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** Returns the beginning of the bucket that contains `atMs`. */
export function bucketOf(atMs: number): number {
  return Math.floor(atMs / BUCKET_MS) * BUCKET_MS;
}
