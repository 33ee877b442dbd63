import type { FlowSeries, SectorTotals } from '../flow-series.ts';
import { bucketOf, MINUTE_MS } from '../minute.ts';
import { readRates } from '../rates.ts';
import type { SeenShare } from './lateness.ts';
import { COMPARED_MIN } from './limits.ts';
import type { PlaceHistory } from './place-history.ts';

/** What is known of a sector, or of the whole ground, at one moment, whatever the kick-off. */
export interface PlaceNow {
  readonly nowMs: number;
  /** The kick-off that people came for. */
  readonly crowdMs: number;
  readonly admitted: number;
  readonly valid: number;
  /** Per minute: the mean of the last five, and the best mean of five today. */
  readonly meanOfFive: number | null;
  readonly bestOfFive: number | null;
  /** COMPARED_MIN ago, as far as that was watched. */
  readonly seen: readonly SeenShare[];
  readonly history: PlaceHistory;
}

interface Place {
  readonly series: FlowSeries;
  /** Those of the series. */
  readonly totals: readonly SectorTotals[];
  readonly history: PlaceHistory;
  /** Without one: the whole ground. */
  readonly sector: number | undefined;
}

export function readPlaceNow(
  { series, totals, history, sector }: Place,
  { nowMs, crowdMs }: Pick<PlaceNow, 'nowMs' | 'crowdMs'>,
): PlaceNow {
  const rows = sector === undefined ? totals : totals.slice(sector, sector + 1);
  const admitted = rows.reduce((sum, row) => sum + row.admitted, 0);
  const valid = rows.reduce((sum, row) => sum + row.valid, 0);
  const { meanOfFive, bestOfFive } = readRates(series, sector);
  const seen = COMPARED_MIN.flatMap((ago): SeenShare[] => {
    const atMs = ago === 0 ? nowMs : bucketOf(nowMs) - ago * MINUTE_MS;
    const then = ago === 0 ? admitted : admittedAt(series, atMs, sector);
    return then === undefined
      ? []
      : [{ min: (atMs - crowdMs) / MINUTE_MS, share: then / Math.max(1, valid) }];
  });
  return { nowMs, crowdMs, admitted, valid, meanOfFive, bestOfFive, seen, history };
}

/** At a boundary; of the whole ground without a sector. Undefined where it was not watched. */
export function admittedAt(series: FlowSeries, boundaryMs: number, sector?: number): number | undefined {
  if (sector !== undefined) return series.admittedAt(boundaryMs, sector);
  let sum = 0;
  for (let place = 0; place < series.sectorCount; place += 1) {
    const admitted = series.admittedAt(boundaryMs, place);
    if (admitted === undefined) return undefined;
    sum += admitted;
  }
  return sum;
}
