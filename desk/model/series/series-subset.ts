import { SUSTAINED_MINUTES } from './best-rates.ts';
import { KEPT_MS, MINUTE_MS, minuteOf } from './minute.ts';
import type { SeriesReading } from './series-reading.ts';

export type SummedSeries = Pick<
  SeriesReading,
  'sectorCount' | 'lastBoundaryMs' | 'flow' | 'admittedAt' | 'bestRate'
>;

/** Some sectors of a series, given by their indexes, as if there were no others. */
export class SeriesSubset implements SummedSeries {
  readonly #series: SummedSeries;
  readonly #places: readonly number[];

  constructor(series: SummedSeries, places: readonly number[]) {
    this.#series = series;
    this.#places = places;
  }

  get sectorCount(): number {
    return this.#places.length;
  }

  get lastBoundaryMs(): number | undefined {
    return this.#series.lastBoundaryMs;
  }

  flow(minuteMs: number, sector?: number): number | undefined {
    if (sector !== undefined) return this.#series.flow(minuteMs, this.#placeOf(sector));
    let sum = 0;
    for (const place of this.#places) {
      const flow = this.#series.flow(minuteMs, place);
      if (flow === undefined) return undefined;
      sum += flow;
    }
    return sum;
  }

  admittedAt(boundaryMs: number, sector: number): number | undefined {
    return this.#series.admittedAt(boundaryMs, this.#placeOf(sector));
  }

  bestRate(sector?: number): number | undefined {
    if (sector !== undefined) return this.#series.bestRate(this.#placeOf(sector));
    const endMs = minuteOf(this.#series.lastBoundaryMs ?? 0);
    let best: number | undefined;
    let lastFive: number[] = [];
    for (let minuteMs = endMs - KEPT_MS; minuteMs < endMs; minuteMs += MINUTE_MS) {
      const flow = this.flow(minuteMs);
      lastFive = flow === undefined ? [] : [...lastFive.slice(1 - SUSTAINED_MINUTES), flow];
      if (lastFive.length < SUSTAINED_MINUTES) continue;
      const rate = lastFive.reduce((sum, own) => sum + own, 0) / SUSTAINED_MINUTES;
      best = Math.max(best ?? rate, rate);
    }
    return best;
  }

  #placeOf(sector: number): number {
    const place = this.#places[sector];
    if (place === undefined) throw new RangeError(`there is no sector ${sector}`);
    return place;
  }
}
