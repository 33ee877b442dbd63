import { SUSTAINED_MINUTES } from './best-rates.ts';
import type { SeriesReading } from './series-reading.ts';
import { MINUTE_MS, minuteOf } from './minute.ts';

/** Net entries per minute, without lots. Null where a minute that is needed is not known. */
export interface Rates {
  readonly lastMinute: number | null;
  readonly meanOfFive: number | null;
  /** The best mean of five minutes so far. */
  readonly bestOfFive: number | null;
}

/** Of one sector, or without one of the total, at the last full minute. */
export function readRates(series: SeriesReading, sector?: number): Rates {
  const endMs = minuteOf(series.passedMs ?? 0);
  return {
    lastMinute: series.flow(endMs - MINUTE_MS, sector) ?? null,
    ...readSustainedRates(series, sector),
  };
}

/** These two alone: a forecast of many sectors needs no more. */
export function readSustainedRates(
  series: Pick<SeriesReading, 'passedMs' | 'flow' | 'bestRate'>,
  sector?: number,
): Pick<Rates, 'meanOfFive' | 'bestOfFive'> {
  const endMs = minuteOf(series.passedMs ?? 0);
  let sum = 0;
  let isKnown = true;
  for (let ago = SUSTAINED_MINUTES; ago > 0; ago -= 1) {
    const flow = series.flow(endMs - ago * MINUTE_MS, sector);
    if (flow === undefined) isKnown = false;
    else sum += flow;
  }
  return {
    meanOfFive: isKnown ? sum / SUSTAINED_MINUTES : null,
    bestOfFive: series.bestRate(sector) ?? null,
  };
}
