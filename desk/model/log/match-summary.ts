import { type CurvePoint, readCurve } from '../series/curve.ts';
import { admittedAtMoment, momentMs } from '../series/match-moment.ts';
import { flowOf, type Minute, MINUTE_MS } from '../series/minute.ts';

/**
 * The final figures of a match, for the whole ground or one sector. Counts are people; `null` is unknown, as no observed
 * boundary has it.
 */
export interface MatchSummary {
  readonly valid: number | null;
  readonly admitted: number | null;
  /** Admitted counts at MOMENTS_MIN; all null without a kick-off. */
  readonly atMoments: readonly (number | null)[];
  /** The peaks over PEAK_MINUTES, among confirmed minutes; null where only runs beside a higher peak of fewer minutes are known. */
  readonly peaks: readonly (Peak | null)[];
  /** When ARRIVED_SHARES of the final number were in, as ends of minutes. */
  readonly arrivedAtMs: readonly (number | null)[];
}

/** Minutes to kick-off. */
export const MOMENTS_MIN = [-60, -30, -15, 0, 15] as const;
export const PEAK_MINUTES = [1, 5, 15] as const;
export const ARRIVED_SHARES = [0.5, 0.9, 0.95] as const;

export interface RecordedSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the span of confirmed minutes in order; null without any. */
export function readSpan(minutes: readonly Minute[]): RecordedSpan | null {
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (!first || !last) return null;
  return { fromMs: first.minuteMs, toMs: last.minuteMs + MINUTE_MS };
}

/** Summarizes confirmed minutes in order, of the sector with this index or in total. */
export function summarizeMatch(
  minutes: readonly Minute[],
  { kickOffAtMs, sector }: { readonly kickOffAtMs: number | null; readonly sector?: number | undefined },
): MatchSummary {
  const curve = readCurve(minutes, sector);
  const valid = minutes.at(-1) ? validOf(minutes.at(-1), sector) : null;
  const admitted = curve.at(-1)?.admitted ?? null;
  // Whoever comes stays: nobody was in before a first boundary with nobody.
  const emptyUntilMs = curve[0]?.admitted === 0 ? curve[0].atMs : -Infinity;
  return {
    valid,
    admitted,
    atMoments: MOMENTS_MIN.map((min) =>
      kickOffAtMs === null
        ? null
        : momentMs(kickOffAtMs, min) < emptyUntilMs
          ? 0
          : admittedAtMoment(minutes, kickOffAtMs, { min, sector }),
    ),
    peaks: withoutLower(PEAK_MINUTES.map((count) => findPeak(minutes, count, sector))),
    arrivedAtMs: ARRIVED_SHARES.map((share) => arrivedAtMs(curve, share * (admitted ?? 0))),
  };
}

/** Returns the first boundary at which `count` people were in; null if it lies in a gap, or before the first boundary. */
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

/** The most entries in some consecutive minutes, without late batches. */
interface Peak {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/**
 * Returns the first of the highest runs of `length` consecutive minutes, for the sector with this index or in total; null
 * without such a run, or if nobody entered. `minutes` are in order.
 */
function findPeak(minutes: readonly Minute[], length: number, sector?: number): Peak | null {
  let peak: Peak | null = null;
  let count = 0;
  let runLength = 0;
  for (const [place, minute] of minutes.entries()) {
    const goesOn = minutes[place - 1]?.minuteMs === minute.minuteMs - MINUTE_MS;
    if (!goesOn) [count, runLength] = [0, 0];
    count += countOf(minute, sector);
    runLength += 1;
    const left = minutes[place - length];
    if (runLength > length && left) count -= countOf(left, sector);
    if (runLength < length || count <= (peak?.count ?? 0)) continue;
    const toMs = minute.minuteMs + MINUTE_MS;
    peak = { fromMs: toMs - length * MINUTE_MS, toMs, count };
  }
  return peak;
}

/** More minutes have no lower peak: the run around the shorter one was not observed. */
function withoutLower(peaks: readonly (Peak | null)[]): readonly (Peak | null)[] {
  return peaks.map((peak, place) => {
    const isLower = peaks.slice(0, place).some((shorter) => (shorter?.count ?? 0) > (peak?.count ?? 0));
    return isLower ? null : peak;
  });
}

function countOf({ sectors }: Minute, sector: number | undefined): number {
  const rows = sector === undefined ? sectors : sectors.slice(sector, sector + 1);
  return rows.reduce((sum, row) => sum + flowOf(row), 0);
}
