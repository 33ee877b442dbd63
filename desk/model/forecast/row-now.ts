import type { SummedSeries } from '../series/series-subset.ts';
import type { SectorTotals } from '../series/series-reading.ts';
import { bucketOf, MINUTE_MS, minuteOf } from '../series/minute.ts';
import { readSustainedRates } from '../series/rates.ts';
import { stillToEnter } from '../series/still-to-enter.ts';
import { sumTotals } from '../series/sum-totals.ts';
import type { SeenShare } from './lateness.ts';
import { COMPARED_MIN } from './limits.ts';
import type { RowHistory } from './row-history.ts';

/** The state of a row (one sector, or the whole ground) at one moment, for any kick-off. */
export interface RowNow {
  readonly nowMs: number;
  /** The kick-off that people came for. */
  readonly crowdMs: number;
  /** The count with the estimate of people who passed unread. */
  readonly admitted: number;
  /** That estimate, for no more people than have tickets and have not entered. */
  readonly estimated: number;
  readonly valid: number;
  /** Of the admitted, those whose ticket is not valid. */
  readonly invalid: number;
  /** People per minute: the mean of the last five minutes, and today's best mean of five. */
  readonly meanOfFive: number | null;
  readonly bestOfFive: number | null;
  /** The observed shares at COMPARED_MIN. */
  readonly seen: readonly SeenShare[];
  readonly history: RowHistory;
}

interface Place {
  readonly series: SummedSeries;
  readonly totals: readonly SectorTotals[];
  readonly history: RowHistory;
  /** The sector's index; undefined for all of the series. */
  readonly sector: number | undefined;
  /** Estimates how many people had passed unread by a moment. */
  readonly uncountedBy: (atMs: number) => number;
}

export function readRowNow(
  { series, totals, history, sector, uncountedBy }: Place,
  { nowMs, crowdMs }: Pick<RowNow, 'nowMs' | 'crowdMs'>,
): RowNow {
  const rows = sector === undefined ? totals : totals.slice(sector, sector + 1);
  const estimate = withinTickets(uncountedBy, rows);
  const estimated = estimate(nowMs);
  const { admitted: counted, valid, invalid } = sumTotals(rows);
  const admitted = counted + estimated;
  const { meanOfFive, bestOfFive } = readSustainedRates(series, sector);
  const shareAt = (atMs: number, count: number): SeenShare => ({
    min: (atMs - crowdMs) / MINUTE_MS,
    share: (count - invalid) / Math.max(1, valid),
  });
  const seen = COMPARED_MIN.flatMap((ago): SeenShare[] => {
    if (ago === 0) return [shareAt(nowMs, admitted)];
    const thenMs = bucketOf(nowMs) - ago * MINUTE_MS;
    // Recorded minutes only have their ends.
    for (const atMs of [thenMs, minuteOf(thenMs)]) {
      const then = admittedAt(series, atMs, sector);
      if (then !== undefined) return [shareAt(atMs, then + estimate(atMs))];
    }
    return [];
  });
  return { nowMs, crowdMs, admitted, estimated, valid, invalid, meanOfFive, bestOfFive, seen, history };
}

/** Limits an estimate to the tickets that have not entered: whoever passed without one is not among those who are to come. */
export function withinTickets(
  uncountedBy: (atMs: number) => number,
  rows: readonly SectorTotals[],
): (atMs: number) => number {
  const most = Math.max(0, stillToEnter(sumTotals(rows)));
  return (atMs) => Math.min(most, uncountedBy(atMs));
}

/** Returns the count at a boundary, of one sector or of all; undefined if it was not observed. */
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
