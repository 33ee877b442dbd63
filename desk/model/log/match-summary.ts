import { type CurvePoint, readCurve } from '../series/curve.ts';
import { admittedAtMoment } from '../series/match-moment.ts';
import { type Minute, MINUTE_MS } from '../series/minute.ts';
import { findPeak, type Peak } from '../series/peak.ts';

/**
 * What a match came to, of the whole ground or of one sector. Counts are people; `null` is what is not known, as no
 * watched boundary of a minute tells it.
 */
export interface MatchSummary {
  /** At the end. */
  readonly valid: number | null;
  readonly admitted: number | null;
  /** Valid tickets whose holders were not recorded as in at the end. */
  readonly notCome: number | null;
  /** In the order of MOMENTS_MIN; all null without a kick-off. */
  readonly atMoments: readonly (number | null)[];
  /** In the order of PEAK_MINUTES: the highest of the minutes that are known. */
  readonly peaks: readonly (Peak | null)[];
  /** In the order of ARRIVED_SHARES: when so much of the final number was in, to the minute's end. */
  readonly arrivedAtMs: readonly (number | null)[];
}

/** Minutes to kick-off. */
export const MOMENTS_MIN = [-60, -30, -15, 0, 15] as const;
/** Over how many minutes. */
export const PEAK_MINUTES = [1, 5, 15] as const;
export const ARRIVED_SHARES = [0.5, 0.9, 0.95] as const;

/** When a record begins and ends. */
export interface RecordedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Of known minutes, in order; null where there is none. */
export function readSpan(minutes: readonly Minute[]): RecordedSpan | null {
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (!first || !last) return null;
  return { fromMs: first.minuteMs, toMs: last.minuteMs + MINUTE_MS };
}

/** Of known minutes, in order; of one sector by its place, or without one of the total. */
export function summarizeMatch(
  minutes: readonly Minute[],
  { kickOffAtMs, sector }: { readonly kickOffAtMs: number | null; readonly sector?: number },
): MatchSummary {
  const curve = readCurve(minutes, sector);
  const valid = minutes.at(-1) ? validOf(minutes.at(-1), sector) : null;
  const admitted = curve.at(-1)?.admitted ?? null;
  return {
    valid,
    admitted,
    notCome: valid === null || admitted === null ? null : Math.max(0, valid - admitted),
    atMoments: MOMENTS_MIN.map((min) =>
      kickOffAtMs === null ? null : admittedAtMoment(minutes, kickOffAtMs, { min, sector }),
    ),
    peaks: PEAK_MINUTES.map((count) => findPeak(minutes, count, sector)),
    arrivedAtMs: ARRIVED_SHARES.map((share) => arrivedAtMs(curve, share * (admitted ?? 0))),
  };
}

/** The first boundary at which so many were in; null if it lies in a gap, or before the first boundary. */
function arrivedAtMs(curve: readonly CurvePoint[], count: number): number | null {
  if (count <= 0) return null;
  const place = curve.findIndex(({ admitted }) => admitted >= count);
  const point = curve[place];
  return point === undefined || place === 0 || point.isAfterGap ? null : point.atMs;
}

function validOf(minute: Minute | undefined, sector: number | undefined): number {
  const rows = sector === undefined ? minute?.sectors : minute?.sectors.slice(sector, sector + 1);
  return (rows ?? []).reduce((sum, { valid }) => sum + valid, 0);
}
