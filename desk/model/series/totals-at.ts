import type { SectorTotals, SeriesReading } from './series-reading.ts';

/**
 * By sector, who was in at a boundary, however much has been told since: boundaries that are passed late, one after the
 * other, find what they would have found in time. As of the last commit, where it was not watched, or is not behind yet.
 */
export function totalsAt(series: SeriesReading, boundaryMs: number): readonly SectorTotals[] {
  return series.totals.map(({ admitted, valid }, sector) => ({
    admitted: series.admittedAt(boundaryMs, sector) ?? admitted,
    valid,
  }));
}
