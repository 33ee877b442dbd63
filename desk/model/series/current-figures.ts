import type { Figure, Figures } from '../log/flow-log.ts';
import type { SectorTotals, SeriesReading } from './series-reading.ts';
import { readRates } from './rates.ts';

/** The current figures for an entry of the log; `sector` is an index. */
export function figuresOf(series: SeriesReading, sector: number | undefined): Figures {
  return {
    total: figureAt(series, undefined),
    sector: sector === undefined ? null : figureAt(series, sector),
  };
}

/** Returns the totals of the sector with this index, or of the whole ground. */
export function currentTotals({ totals }: SeriesReading, sector: number | undefined): SectorTotals {
  const { admitted = 0, valid = 0 } =
    sector === undefined
      ? {
          admitted: totals.reduce((sum, row) => sum + row.admitted, 0),
          valid: totals.reduce((sum, row) => sum + row.valid, 0),
        }
      : (totals[sector] ?? {});
  return { admitted, valid };
}

function figureAt(series: SeriesReading, sector: number | undefined): Figure {
  return { ...currentTotals(series, sector), perMinute: readRates(series, sector).meanOfFive };
}
