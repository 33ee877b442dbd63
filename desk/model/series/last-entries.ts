/** The last bucket with entries has its time; those before it are kept for when it turns out to be a late batch. */
interface EntryTime {
  readonly bucketMs: number;
  readonly atMs: number;
}

/** More buckets than a minute, which can be a late batch as a whole. */
const KEPT = 12;

/** When somebody last entered each sector. Late batches were read earlier, at a time that nobody knows. */
export class LastEntries {
  readonly #bySector = new Map<number, readonly EntryTime[]>();

  atMs(sector: number): number | undefined {
    return this.#of(sector).at(-1)?.atMs;
  }

  /** Somebody entered, and counts in this bucket. */
  set(sector: number, atMs: number, bucketMs = atMs): void {
    const others = this.#of(sector).filter((each) => each.bucketMs !== bucketMs);
    this.#bySector.set(sector, [...others.slice(1 - KEPT), { bucketMs, atMs }]);
  }

  /** The entries counted in these buckets are a late batch. */
  forget(sector: number, fromMs: number, lengthMs: number): void {
    const isKept = ({ bucketMs }: EntryTime): boolean => bucketMs < fromMs || bucketMs >= fromMs + lengthMs;
    this.#bySector.set(sector, this.#of(sector).filter(isKept));
  }

  #of(sector: number): readonly EntryTime[] {
    return this.#bySector.get(sector) ?? [];
  }
}
