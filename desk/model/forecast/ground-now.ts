import type { SectorMark } from '../log/marks.ts';
import { SeriesSubset } from '../series/series-subset.ts';
import type { SectorTotals } from '../series/series-reading.ts';
import { estimateUncounted, uncountedMarks } from '../log/uncounted.ts';
import { MAX_LEFT_OUT_SHARE } from './limits.ts';
import type { ForecastSources } from './make-forecast.ts';
import { type RowNow, readRowNow, withinTickets } from './row-now.ts';

export interface GroundNow {
  readonly now: RowNow;
  readonly without: readonly string[];
}

/**
 * Reads the whole ground without sectors in which people pass uncounted and unestimated, or the entry is suspended; null if these
 * are a large part of it, or unknown.
 */
export function readGroundNow(
  { series, codes, log, earlier }: ForecastSources,
  totals: readonly SectorTotals[],
  moment: Pick<RowNow, 'nowMs' | 'crowdMs'>,
): GroundNow | null {
  const marks = uncountedMarks(log.uncounted, null);
  const isOfGround = marks.some(({ sector }) => sector === null);
  const isUnread = (code: string): boolean => marks.some((mark) => mark.sector === code && !mark.estimate);
  const placesWithout = (codesOut: readonly string[]): readonly number[] =>
    codes.flatMap((code, place) => (codesOut.includes(code) ? [] : [place]));
  const totalsAtPlaces = (places: readonly number[]) => places.flatMap((place) => totals[place] ?? []);
  const isSmall = (codesOut: readonly string[]): boolean =>
    validOf(totalsAtPlaces(placesWithout(codesOut))) > (1 - MAX_LEFT_OUT_SHARE) * validOf(totals);
  const without = codes.filter((code) => isUnread(code) || isSuspended(log.marks, code));
  if (without.length > 0 && (isOfGround || !isSmall(without))) return null;
  const places = placesWithout(without);
  const estimated = estimateEach(
    marks,
    places.map((place) => ({ code: codes[place] ?? '', totals: totals[place] })),
  );
  if (!estimated) return null;
  if (without.length === 0) {
    const whole = { series, totals, history: earlier.total, sector: undefined, uncountedBy: estimated };
    return { now: readRowNow(whole, moment), without };
  }
  const place = {
    series: new SeriesSubset(series, places),
    totals: totalsAtPlaces(places),
    history: earlier.rest(without),
    sector: undefined,
    uncountedBy: estimated,
  };
  return { now: readRowNow(place, moment), without };
}

/** Sums the estimates, in each sector for no more people than have not entered: those beyond are none of another sector. */
function estimateEach(
  marks: readonly SectorMark[],
  sectors: readonly { readonly code: string; readonly totals: SectorTotals | undefined }[],
): ((atMs: number) => number) | null {
  const ofGround = estimateUncounted(
    marks.filter(({ sector }) => sector === null),
    null,
  );
  const parts = sectors.map(({ code, totals }) => {
    const own = estimateUncounted(
      marks.filter(({ sector }) => sector === code),
      code,
    );
    return own && totals && withinTickets(own, [totals]);
  });
  if (!ofGround || parts.some((part) => part === null)) return null;
  return (atMs) => parts.reduce((sum, part) => sum + (part?.(atMs) ?? 0), ofGround(atMs));
}

export function isSuspended(marks: readonly SectorMark[], code: string): boolean {
  return marks.some(({ mark, sector }) => mark === 'suspended' && (sector === null || sector === code));
}

function validOf(totals: readonly SectorTotals[]): number {
  return totals.reduce((sum, { valid }) => sum + valid, 0);
}
