import { SUSTAINED_MINUTES } from './best-rates.ts';
import type { SeriesReading } from './series-reading.ts';
import { MINUTE_MS, minuteOf } from './minute.ts';

/** Net entries per minute, without late batches; null unless every minute they are made of is confirmed. */
export interface Rates {
  readonly lastMinute: number | null;
  readonly meanOfFive: number | null;
  readonly bestOfFive: number | null;
}

/** Returns the rates at the last full minute, of the sector with this index or in total. */
export function readRates(series: SeriesReading, sector?: number): Rates {
  const endMs = minuteOf(series.lastBoundaryMs ?? 0);
  return {
    lastMinute: series.flow(endMs - MINUTE_MS, sector) ?? null,
    ...readSustainedRates(series, sector),
  };
}

/** Returns only the two rates that a forecast of many sectors needs. */
export function readSustainedRates(
  series: Pick<SeriesReading, 'lastBoundaryMs' | 'flow' | 'bestRate'>,
  sector?: number,
): Pick<Rates, 'meanOfFive' | 'bestOfFive'> {
  const endMs = minuteOf(series.lastBoundaryMs ?? 0);
  let sum = 0;
  let isWhole = true;
  for (let ago = SUSTAINED_MINUTES; ago > 0; ago -= 1) {
    const flow = series.flow(endMs - ago * MINUTE_MS, sector);
    if (flow === undefined) isWhole = false;
    else sum += flow;
  }
  return {
    meanOfFive: isWhole ? sum / SUSTAINED_MINUTES : null,
    bestOfFive: series.bestRate(sector) ?? null,
  };
}
