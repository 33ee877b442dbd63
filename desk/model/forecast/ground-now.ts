import type { SectorMark } from '../log/marks.ts';
import { SeriesSubset } from '../series/series-subset.ts';
import type { SectorTotals } from '../series/series-reading.ts';
import { estimateUncounted, uncountedMarks } from '../log/uncounted.ts';
import { MOST_LEFT_OUT_SHARE } from './limits.ts';
import type { ForecastSources } from './make-forecast.ts';
import { type PlaceNow, readPlaceNow } from './place-now.ts';

/** What the forecast of the ground is of. */
export interface GroundNow {
  readonly now: PlaceNow;
  /** The codes of the sectors that are left out. */
  readonly without: readonly string[];
}

/**
 * The whole ground; where people pass somewhere who are not counted, and nobody has estimated how many, what is left without
 * those sectors, if they are small. Null where they are not, or where nobody knows which they are.
 */
export function readGroundNow(
  { series, codes, log, earlier }: ForecastSources,
  totals: readonly SectorTotals[],
  moment: Pick<PlaceNow, 'nowMs' | 'crowdMs'>,
): GroundNow | null {
  const marks = uncountedMarks(log.uncounted, null);
  const uncountedBy = estimateUncounted(marks, null);
  if (uncountedBy) {
    const whole = { series, totals, history: earlier.total, sector: undefined, uncountedBy };
    return { now: readPlaceNow(whole, moment), without: [] };
  }
  if (marks.some(({ sector }) => sector === null)) return null;
  const without = codes.filter((code) => marks.some((mark) => mark.sector === code && !mark.estimate));
  const places = codes.flatMap((code, place) => (without.includes(code) ? [] : [place]));
  const rest = places.flatMap((place) => totals[place] ?? []);
  if (validOf(rest) <= (1 - MOST_LEFT_OUT_SHARE) * validOf(totals)) return null;
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
  return { now: readPlaceNow(place, moment), without };
}

function isOf({ sector }: SectorMark, codes: readonly string[]): boolean {
  return sector !== null && codes.includes(sector);
}

function validOf(totals: readonly SectorTotals[]): number {
  return totals.reduce((sum, { valid }) => sum + valid, 0);
}
