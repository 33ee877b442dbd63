/** The last entry of a bucket. */
interface EntryTime {
  readonly bucketMs: number;
  readonly atMs: number;
}

/** This many buckets are kept: more than a minute, which can be a late batch as a whole. */
const KEPT = 12;

/** Knows when somebody last entered each sector. Late batches do not count: they were read earlier, and nobody knows when. */
export class LastEntries {
  readonly #bySector = new Map<number, readonly EntryTime[]>();

  atMs(sector: number): number | undefined {
    return this.#of(sector).at(-1)?.atMs;
  }

  /** Notes that somebody entered, who counts in this bucket. */
  set(sector: number, atMs: number, bucketMs = atMs): void {
    const others = this.#of(sector).filter((each) => each.bucketMs !== bucketMs);
    this.#bySector.set(sector, [...others.slice(1 - KEPT), { bucketMs, atMs }]);
  }

  /** Removes the entries counted in these buckets: they are a late batch. */
  forget(sector: number, fromMs: number, lengthMs: number): void {
    const isKept = ({ bucketMs }: EntryTime): boolean => bucketMs < fromMs || bucketMs >= fromMs + lengthMs;
    this.#bySector.set(sector, this.#of(sector).filter(isKept));
  }

  #of(sector: number): readonly EntryTime[] {
    return this.#bySector.get(sector) ?? [];
  }
}
