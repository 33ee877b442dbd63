import type { BestRates } from './best-rates.ts';
import type { ConfirmedMinutes } from './confirmed-minutes.ts';
import { flowOf, type Minute, MINUTE_MS } from './minute.ts';
import type { SectorTotals, SeriesReading } from './series-reading.ts';

/**
 * A series as of the end of a minute, from confirmed minutes alone: boundaries within a minute are unknown. Totals are those
 * of the newest minute confirmed by then.
 */
export class SeriesAt implements SeriesReading {
  readonly sectorCount: number;
  readonly lastBoundaryMs: number;
  readonly totals: readonly SectorTotals[];
  readonly #confirmed: ConfirmedMinutes;
  /** A cache: rules read few minutes. */
  readonly #minutes = new Map<number, Minute | undefined>();
  readonly #confirmedMs: readonly number[];
  readonly #bestRates: BestRates;

  /** `endMs` is a multiple of MINUTE_MS; `newest` is the newest confirmed minute by then. */
  constructor(confirmed: ConfirmedMinutes, newest: Minute, endMs: number) {
    this.sectorCount = newest.sectors.length;
    this.lastBoundaryMs = endMs;
    this.totals = newest.sectors.map(({ admitted, valid }) => ({ admitted, valid }));
    this.#confirmed = confirmed;
    this.#confirmedMs = confirmed.confirmedMs(0, endMs);
    this.#bestRates = confirmed.bestRatesOf(this.#confirmedMs);
  }

  flow(minuteMs: number, sector?: number): number | undefined {
    return minuteMs < this.lastBoundaryMs ? this.#confirmed.flow(minuteMs, sector) : undefined;
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
    let flow = after - before;
    for (let ms = fromMs; ms < toMs; ms += MINUTE_MS) {
      const minute = this.#minute(ms)?.sectors[sector];
      if (minute) flow -= minute.net - flowOf(minute);
    }
    return flow;
  }

  bestRate(sector?: number): number | undefined {
    return this.#bestRates.best(sector);
  }

  lastEntryAtMs(sector: number): number | undefined {
    const minutesMs = this.#confirmedMs;
    const index = minutesMs.findLastIndex(
      (minuteMs, at) =>
        this.#confirmed.hasEntries(minuteMs, sector) ||
        this.#grewBetween(minutesMs[at - 1], minuteMs, sector),
    );
    const [beforeMs, minuteMs] = [minutesMs[index - 1], minutesMs[index]];
    if (minuteMs === undefined || beforeMs === undefined) return minuteMs;
    return this.#confirmed.hasEntries(minuteMs, sector) ? minuteMs : beforeMs + MINUTE_MS;
  }

  /** Whether somebody entered after one confirmed minute and before the next one, at a time that nobody observed. */
  #grewBetween(beforeMs: number | undefined, minuteMs: number, sector: number): boolean {
    if (beforeMs === undefined || beforeMs + MINUTE_MS === minuteMs) return false;
    const [ended = 0, begun = 0] = [beforeMs + MINUTE_MS, minuteMs].map((ms) => this.admittedAt(ms, sector));
    return begun > ended;
  }

  #minute(minuteMs: number): Minute | undefined {
    if (minuteMs >= this.lastBoundaryMs) return undefined;
    if (!this.#minutes.has(minuteMs)) this.#minutes.set(minuteMs, this.#confirmed.minute(minuteMs));
    return this.#minutes.get(minuteMs);
  }
}
