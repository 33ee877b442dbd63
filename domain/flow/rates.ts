import { SUSTAINED_MINUTES } from './best-rates.ts';
import type { FlowSeries } from './flow-series.ts';
import { MINUTE_MS, minuteOf } from './minute.ts';

/** Net entries per minute, without lots. Null where a minute that is needed is not known. */
export interface Rates {
  readonly lastMinute: number | null;
  readonly meanOfFive: number | null;
  /** The best mean of five minutes so far. */
  readonly bestOfFive: number | null;
  /** Minute by minute, the last one last. */
  readonly lastThirty: readonly (number | null)[];
}

const SHOWN_MINUTES = 30;

/** Of one sector, or without one of the total, at the last full minute. */
export function readRates(series: FlowSeries, sector?: number): Rates {
  const endMs = minuteOf(series.passedMs ?? 0);
  const lastThirty = Array.from(
    { length: SHOWN_MINUTES },
    (_, place) => series.flow(endMs - (SHOWN_MINUTES - place) * MINUTE_MS, sector) ?? null,
  );
  return {
    lastMinute: lastThirty.at(-1) ?? null,
    meanOfFive: meanOf(lastThirty.slice(-SUSTAINED_MINUTES)),
    bestOfFive: series.bestRate(sector) ?? null,
    lastThirty,
  };
}

function meanOf(flows: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const flow of flows) {
    if (flow === null) return null;
    sum += flow;
  }
  return sum / flows.length;
}
