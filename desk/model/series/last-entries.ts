import { hasEntries, type Minute, MINUTE_MS } from './minute.ts';

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

  /** Notes that somebody entered at this time, or later. */
  noteBy(sector: number, atMs: number): void {
    if ((this.atMs(sector) ?? -Infinity) < atMs) this.set(sector, atMs);
  }

  /** Takes minutes from the record, in order. */
  restore(minutes: readonly Minute[]): void {
    for (const [index, { minuteMs, sectors }] of minutes.entries()) {
      const before = minutes[index - 1];
      for (const [sector, minute] of sectors.entries()) {
        if (hasEntries(minute)) this.noteBy(sector, minuteMs);
        // In between, at a time that nobody observed.
        else if (before && minute.admitted - minute.net > (before.sectors[sector]?.admitted ?? 0))
          this.noteBy(sector, before.minuteMs + MINUTE_MS);
      }
    }
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
