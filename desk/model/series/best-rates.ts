import { MINUTE_MS } from './minute.ts';
import type { MinuteStore } from './minute-store.ts';

/** Over how many minutes a rate must hold to be one that a sector can sustain. */
export const SUSTAINED_MINUTES = 5;

/** The best mean of five consecutive minutes from an instant on, without late batches, by sector and in total. */
export class BestRates {
  readonly #bySector: Float64Array;
  readonly #fromMs: number;
  #ofTotal = -Infinity;

  constructor(sectorCount: number, fromMs: number) {
    this.#fromMs = fromMs;
    this.#bySector = new Float64Array(sectorCount).fill(-Infinity);
  }

  /** Returns people per minute, in total where no sector is given; `undefined` before five confirmed minutes. */
  best(sector: number | undefined): number | undefined {
    const best = sector === undefined ? this.#ofTotal : this.#bySector[sector];
    return best === -Infinity ? undefined : best;
  }

  /** Includes the five minutes that end with this one, if all are confirmed. */
  include(store: MinuteStore, minuteMs: number): void {
    if (minuteMs - (SUSTAINED_MINUTES - 1) * MINUTE_MS < this.#fromMs) return;
    const flow = store.flowOf(Array.from({ length: SUSTAINED_MINUTES }, (_, n) => minuteMs - n * MINUTE_MS));
    if (!flow) return;
    let total = 0;
    for (const [sector, count] of flow.entries()) {
      this.#bySector[sector] = Math.max(this.#bySector[sector] ?? -Infinity, count / SUSTAINED_MINUTES);
      total += count;
    }
    this.#ofTotal = Math.max(this.#ofTotal, total / SUSTAINED_MINUTES);
  }
}
