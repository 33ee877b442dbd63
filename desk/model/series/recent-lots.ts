import { BUCKET_MS, type Minute, MINUTE_MS } from './minute.ts';

interface LotInCounts {
  /** Between these boundaries the counts have it. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

const KEPT_MS = 60 * MINUTE_MS;

/** Where in the counts lots are, so that they can be left out of what flowed between two boundaries. */
export class RecentLots {
  readonly #bySector = new Map<number, readonly LotInCounts[]>();

  /** That came in the bucket which begins then. */
  addToBucket(sector: number, bucketMs: number, count: number): void {
    this.#add(sector, { fromMs: bucketMs, toMs: bucketMs + BUCKET_MS, count });
  }

  /** All that the minute brought beside its other lots is one. */
  addMinute(sector: number, minuteMs: number, count: number): void {
    const within = this.#within(sector, minuteMs);
    const rest = this.#of(sector).filter((lot) => !within.includes(lot));
    this.#bySector.set(sector, rest);
    const sum = within.reduce((total, lot) => total + lot.count, count);
    this.#add(sector, { fromMs: minuteMs, toMs: minuteMs + MINUTE_MS, count: sum });
  }

  /** As the record has them, where nothing is known of them here. */
  restore(minutes: readonly Minute[]): void {
    for (const { minuteMs, sectors } of minutes) {
      for (const [sector, { lots }] of sectors.entries()) {
        if (lots === 0 || this.#within(sector, minuteMs).length > 0) continue;
        this.#add(sector, { fromMs: minuteMs, toMs: minuteMs + MINUTE_MS, count: lots });
      }
    }
  }

  /** Of those between two boundaries; `admittedAt` where one of the two is within a minute that is a lot as a whole. */
  sum(
    sector: number,
    fromMs: number,
    toMs: number,
    admittedAt: (boundaryMs: number) => number | undefined,
  ): number {
    let sum = 0;
    for (const lot of this.#of(sector)) {
      if (lot.toMs <= fromMs || lot.fromMs >= toMs) continue;
      if (fromMs <= lot.fromMs && lot.toMs <= toMs) {
        sum += lot.count;
        continue;
      }
      const before = admittedAt(Math.max(fromMs, lot.fromMs));
      const after = admittedAt(Math.min(toMs, lot.toMs));
      if (before !== undefined && after !== undefined) sum += after - before;
    }
    return sum;
  }

  clear(): void {
    this.#bySector.clear();
  }

  #of(sector: number): readonly LotInCounts[] {
    return this.#bySector.get(sector) ?? [];
  }

  #within(sector: number, minuteMs: number): readonly LotInCounts[] {
    return this.#of(sector).filter((lot) => lot.fromMs >= minuteMs && lot.toMs <= minuteMs + MINUTE_MS);
  }

  #add(sector: number, lot: LotInCounts): void {
    const kept = this.#of(sector).filter(({ toMs }) => toMs > lot.fromMs - KEPT_MS);
    this.#bySector.set(sector, [...kept, lot]);
  }
}
