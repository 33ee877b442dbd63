import { BUCKET_MS, flowOf, type Minute, MINUTE_MS } from './minute.ts';

interface CountedBatch {
  /** The counts include the batch between these boundaries. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

const KEPT_MS = 60 * MINUTE_MS;

/** Locates late batches and moved tickets in the counts, so that the flow between two boundaries can leave them out. */
export class RecentLateBatches {
  readonly #bySector = new Map<number, readonly CountedBatch[]>();

  addToBucket(sector: number, bucketMs: number, count: number): void {
    this.#add(sector, { fromMs: bucketMs, toMs: bucketMs + BUCKET_MS, count });
  }

  /** Takes all entries of the minute beside its other late batches for one. */
  addMinute(sector: number, minuteMs: number, count: number): void {
    const within = this.#within(sector, minuteMs);
    const rest = this.#of(sector).filter((batch) => !within.includes(batch));
    this.#bySector.set(sector, rest);
    const sum = within.reduce((total, batch) => total + batch.count, count);
    this.#add(sector, { fromMs: minuteMs, toMs: minuteMs + MINUTE_MS, count: sum });
  }

  /** Takes them from the record, for minutes without one here. */
  restore(minutes: readonly Minute[]): void {
    for (const { minuteMs, sectors } of minutes) {
      for (const [sector, minute] of sectors.entries()) {
        const count = minute.net - flowOf(minute);
        if (count === 0 || this.#within(sector, minuteMs).length > 0) continue;
        this.#add(sector, { fromMs: minuteMs, toMs: minuteMs + MINUTE_MS, count });
      }
    }
  }

  /** Sums them between two boundaries; `admittedAt` splits one of a whole minute that a boundary cuts. */
  sum(
    sector: number,
    fromMs: number,
    toMs: number,
    admittedAt: (boundaryMs: number) => number | undefined,
  ): number {
    let sum = 0;
    for (const batch of this.#of(sector)) {
      if (batch.toMs <= fromMs || batch.fromMs >= toMs) continue;
      if (fromMs <= batch.fromMs && batch.toMs <= toMs) {
        sum += batch.count;
        continue;
      }
      const before = admittedAt(Math.max(fromMs, batch.fromMs));
      const after = admittedAt(Math.min(toMs, batch.toMs));
      if (before === undefined || after === undefined) continue;
      const { count } = batch;
      sum += Math.max(Math.min(0, count), Math.min(Math.max(0, count), after - before));
    }
    return sum;
  }

  clear(): void {
    this.#bySector.clear();
  }

  #of(sector: number): readonly CountedBatch[] {
    return this.#bySector.get(sector) ?? [];
  }

  #within(sector: number, minuteMs: number): readonly CountedBatch[] {
    return this.#of(sector).filter((batch) => batch.fromMs >= minuteMs && batch.toMs <= minuteMs + MINUTE_MS);
  }

  #add(sector: number, batch: CountedBatch): void {
    const kept = this.#of(sector).filter(({ toMs }) => toMs > batch.fromMs - KEPT_MS);
    this.#bySector.set(sector, [...kept, batch]);
  }
}
