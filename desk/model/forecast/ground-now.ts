import type { SectorMark } from '../log/marks.ts';
import { SeriesSubset } from '../series/series-subset.ts';
import type { SectorTotals } from '../series/series-reading.ts';
import { estimateUncounted, uncountedMarks } from '../log/uncounted.ts';
import { MAX_LEFT_OUT_SHARE } from './limits.ts';
import type { ForecastSources } from './make-forecast.ts';
import { type RowNow, readRowNow } from './row-now.ts';

export interface GroundNow {
  readonly now: RowNow;
  readonly without: readonly string[];
}

/**
 * Reads the whole ground without sectors in which people pass uncounted and unestimated. Null if those are too large, or
 * unknown.
 */
export function readGroundNow(
  { series, codes, log, earlier }: ForecastSources,
  totals: readonly SectorTotals[],
  moment: Pick<RowNow, 'nowMs' | 'crowdMs'>,
): GroundNow | null {
  const marks = uncountedMarks(log.uncounted, null);
  const uncountedBy = estimateUncounted(marks, null);
  if (uncountedBy) {
    const whole = { series, totals, history: earlier.total, sector: undefined, uncountedBy };
    return { now: readRowNow(whole, moment), without: [] };
  }
  if (marks.some(({ sector }) => sector === null)) return null;
  const without = codes.filter((code) => marks.some((mark) => mark.sector === code && !mark.estimate));
  const places = codes.flatMap((code, place) => (without.includes(code) ? [] : [place]));
  const rest = places.flatMap((place) => totals[place] ?? []);
  if (validOf(rest) <= (1 - MAX_LEFT_OUT_SHARE) * validOf(totals)) return null;
  const estimated = estimateUncounted(
    marks.filter((mark) => !isOf(mark, without)),
    null,
  );
  if (!estimated) return null;
  const place = {
    series: new SeriesSubset(series, places),
    totals: rest,
    history: earlier.rest(without),
    sector: undefined,
    uncountedBy: estimated,
  };
  return { now: readRowNow(place, moment), without };
}

function isOf({ sector }: SectorMark, codes: readonly string[]): boolean {
  return sector !== null && codes.includes(sector);
}

function validOf(totals: readonly SectorTotals[]): number {
  return totals.reduce((sum, { valid }) => sum + valid, 0);
}
