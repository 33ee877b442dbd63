import type { SummedSeries } from '../series/series-subset.ts';
import type { SectorTotals } from '../series/series-reading.ts';
import { bucketOf, MINUTE_MS, minuteOf } from '../series/minute.ts';
import { readSustainedRates } from '../series/rates.ts';
import type { SeenShare } from './lateness.ts';
import { COMPARED_MIN } from './limits.ts';
import type { PlaceHistory } from './place-history.ts';

/** What is known of a sector, or of the whole ground, at one moment, whatever the kick-off. */
export interface PlaceNow {
  readonly nowMs: number;
  /** The kick-off that people came for. */
  readonly crowdMs: number;
  /** With those who passed unread, as estimated. */
  readonly admitted: number;
  /** How many of them those are. */
  readonly estimated: number;
  readonly valid: number;
  /** Per minute: the mean of the last five, and the best mean of five today. */
  readonly meanOfFive: number | null;
  readonly bestOfFive: number | null;
  /** COMPARED_MIN ago, as far as that was watched. */
  readonly seen: readonly SeenShare[];
  readonly history: PlaceHistory;
}

interface Place {
  readonly series: SummedSeries;
  /** Those of the series. */
  readonly totals: readonly SectorTotals[];
  readonly history: PlaceHistory;
  /** Without one: all of the series. */
  readonly sector: number | undefined;
  /** How many had passed unread by a moment, as estimated. */
  readonly uncountedBy: (atMs: number) => number;
}

export function readPlaceNow(
  { series, totals, history, sector, uncountedBy }: Place,
  { nowMs, crowdMs }: Pick<PlaceNow, 'nowMs' | 'crowdMs'>,
): PlaceNow {
  const rows = sector === undefined ? totals : totals.slice(sector, sector + 1);
  const estimated = uncountedBy(nowMs);
  const admitted = rows.reduce((sum, row) => sum + row.admitted, estimated);
  const valid = rows.reduce((sum, row) => sum + row.valid, 0);
  const { meanOfFive, bestOfFive } = readSustainedRates(series, sector);
  const shareAt = (atMs: number, count: number): SeenShare => ({
    min: (atMs - crowdMs) / MINUTE_MS,
    share: count / Math.max(1, valid),
  });
  const seen = COMPARED_MIN.flatMap((ago): SeenShare[] => {
    if (ago === 0) return [shareAt(nowMs, admitted)];
    const thenMs = bucketOf(nowMs) - ago * MINUTE_MS;
    // Of minutes that the record holds only the ends are known.
    for (const atMs of [thenMs, minuteOf(thenMs)]) {
      const then = admittedAt(series, atMs, sector);
      if (then !== undefined) return [shareAt(atMs, then + uncountedBy(atMs))];
    }
    return [];
  });
  return { nowMs, crowdMs, admitted, estimated, valid, meanOfFive, bestOfFive, seen, history };
}

/** At a boundary; of all of them without a sector. Undefined where it was not watched. */
function admittedAt(series: SummedSeries, boundaryMs: number, sector?: number): number | undefined {
  if (sector !== undefined) return series.admittedAt(boundaryMs, sector);
  let sum = 0;
  for (let place = 0; place < series.sectorCount; place += 1) {
    const admitted = series.admittedAt(boundaryMs, place);
    if (admitted === undefined) return undefined;
    sum += admitted;
  }
  return sum;
}
