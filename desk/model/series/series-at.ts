import type { BestRates } from './best-rates.ts';
import type { KnownMinutes } from './known-minutes.ts';
import { type Minute, MINUTE_MS } from './minute.ts';
import type { SectorTotals, SeriesReading } from './series-reading.ts';

/**
 * A series as its minutes tell of it at the end of one of them: nothing is known of boundaries within a minute, nor of what
 * came later. Totals are those at the end of the newest minute that is known by then.
 */
export class SeriesAt implements SeriesReading {
  readonly sectorCount: number;
  readonly passedMs: number;
  readonly totals: readonly SectorTotals[];
  readonly #known: KnownMinutes;
  /** Those that were asked for: rules look at few. */
  readonly #minutes = new Map<number, Minute | undefined>();
  readonly #knownMs: readonly number[];
  readonly #bestRates: BestRates;

  /** `endMs`: a multiple of MINUTE_MS; `newest`: the newest minute that is known by then. */
  constructor(known: KnownMinutes, newest: Minute, endMs: number) {
    this.sectorCount = newest.sectors.length;
    this.passedMs = endMs;
    this.totals = newest.sectors.map(({ admitted, valid }) => ({ admitted, valid }));
    this.#known = known;
    this.#knownMs = known.knownMs(0, endMs);
    this.#bestRates = known.bestRatesOf(this.#knownMs);
  }

  flow(minuteMs: number, sector?: number): number | undefined {
    return minuteMs < this.passedMs ? this.#known.flow(minuteMs, sector) : undefined;
  }

  admittedAt(boundaryMs: number, sector: number): number | undefined {
    const ended = this.#minute(boundaryMs - MINUTE_MS)?.sectors[sector];
    if (ended) return ended.admitted;
    const begun = this.#minute(boundaryMs)?.sectors[sector];
    return begun && begun.admitted - begun.net;
  }

  flowBetween(fromMs: number, toMs: number, sector: number): number | undefined {
    const before = this.admittedAt(fromMs, sector);
    const after = this.admittedAt(toMs, sector);
    if (before === undefined || after === undefined) return undefined;
    let lots = 0;
    for (let ms = fromMs; ms < toMs; ms += MINUTE_MS) lots += this.#minute(ms)?.sectors[sector]?.lots ?? 0;
    return after - before - lots;
  }

  bestRate(sector?: number): number | undefined {
    return this.#bestRates.best(sector);
  }

  /** The beginning of its minute. */
  lastEntryAtMs(sector: number): number | undefined {
    return this.#knownMs.findLast((minuteMs) => this.#known.hasEntries(minuteMs, sector));
  }

  /** If it is known by then. */
  #minute(minuteMs: number): Minute | undefined {
    if (minuteMs >= this.passedMs) return undefined;
    if (!this.#minutes.has(minuteMs)) this.#minutes.set(minuteMs, this.#known.minute(minuteMs));
    return this.#minutes.get(minuteMs);
  }
}
