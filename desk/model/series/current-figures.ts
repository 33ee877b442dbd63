import type { Figure, Figures } from '../log/flow-log.ts';
import type { SectorTotals, SeriesReading } from './series-reading.ts';
import { readRates } from './rates.ts';
import { sumTotals } from './sum-totals.ts';

/** The current figures for an entry of the log; `sector` is an index. */
export function figuresOf(series: SeriesReading, sector: number | undefined): Figures {
  return {
    total: figureAt(series, undefined),
    sector: sector === undefined ? null : figureAt(series, sector),
  };
}

/** Returns the totals of the sector with this index, or of the whole ground. */
export function currentTotals({ totals }: SeriesReading, sector: number | undefined): Required<SectorTotals> {
  return sumTotals(sector === undefined ? totals : totals.slice(sector, sector + 1));
}

function figureAt(series: SeriesReading, sector: number | undefined): Figure {
  const { admitted, valid } = currentTotals(series, sector);
  return { admitted, valid, perMinute: readRates(series, sector).meanOfFive };
}
