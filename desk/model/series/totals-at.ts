import type { SectorTotals, SeriesReading } from './series-reading.ts';

/**
 * Returns totals by sector whose admitted counts are those at the boundary, where that is observed, so that a boundary that
 * is processed late gives the same result; else those of the last commit.
 */
export function totalsAt(series: SeriesReading, boundaryMs: number): readonly SectorTotals[] {
  return series.totals.map((totals, sector) => ({
    ...totals,
    admitted: series.admittedAt(boundaryMs, sector) ?? totals.admitted,
  }));
}
