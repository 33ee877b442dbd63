import type { SectorTotals } from '../series/series-reading.ts';
import type { LogState } from '../log/log-state.ts';
import type { AlarmInputs, WaitReason } from './evaluation.ts';
import { FlowWindows } from './flow-windows.ts';
import {
  FEWEST_WHO_COME,
  LATE_BEFORE_KICK_OFF_MS,
  MAX_UNWATCHED_MS,
  MIN_PENDING,
  MOST_WHO_COME,
  STOP_ENDS_AFTER_KICK_OFF_MS,
} from './limits.ts';
import type { SectorMark } from '../log/marks.ts';
import { totalsAt } from '../series/totals-at.ts';
import { type UncountedSpan, uncountedSpans } from '../log/uncounted.ts';

/** What the rules of the flow look at, where they are applied. */
export interface Situation {
  /** The last boundary, which was watched. */
  readonly atMs: number;
  readonly nowMs: number;
  readonly kickOffAtMs: number;
  readonly log: LogState;
  readonly windows: FlowWindows;
  readonly codes: readonly string[];
  /** As of that boundary. */
  readonly totals: readonly SectorTotals[];
  /** By place: no window in which few entered may begin before; Infinity while a mark stands. */
  readonly appliesFromMs: readonly number[];
  /** By place: from when on nobody entering is a silence; Infinity while a mark stands. */
  readonly silenceFromMs: readonly number[];
  /** By place: when marks stood that have ended, in their order. What few were read then is not usual. */
  readonly marked: readonly (readonly UncountedSpan[])[];
}

/** Or why they are not applied. */
export function readSituation(inputs: AlarmInputs): Situation | WaitReason {
  const { series, codes, log, nowMs } = inputs;
  const kickOffAtMs = log.kickOffAtMs;
  if (log.evacuatedAtMs !== null) return 'evacuated';
  if (log.entryClosedAtMs !== null) return 'entry-closed';
  if (kickOffAtMs === null) return 'no-kick-off';
  if (log.gatesOpenAtMs !== null && nowMs < log.gatesOpenAtMs) return 'before-gates-open';
  if (nowMs > kickOffAtMs + STOP_ENDS_AFTER_KICK_OFF_MS) return 'after-end';
  const atMs = series.lastBoundaryMs;
  const isLive =
    inputs.staleForMs === null &&
    atMs !== undefined &&
    nowMs - atMs <= MAX_UNWATCHED_MS &&
    series.admittedAt(atMs, 0) !== undefined;
  if (!isLive) return 'not-live';
  return {
    atMs,
    nowMs,
    kickOffAtMs,
    log,
    windows: new FlowWindows(series, atMs),
    codes,
    totals: totalsAt(series, atMs),
    appliesFromMs: codes.map((code) => appliesFromMs(log, code, () => true)),
    // "Acabou" says that readings are back: that none came while the mark stood counts. Where entry was suspended nobody
    // could come, and people take a moment.
    silenceFromMs: codes.map((code) => appliesFromMs(log, code, ({ mark }) => mark === 'suspended')),
    marked: codes.map((code) => uncountedSpans(log.endedMarks.filter((mark) => isOf(mark, code)))),
  };
}

/** `interrupts`: whether nothing counts from before the end of a mark. */
function appliesFromMs(
  { marks, endedMarks, reopenedAtMs, gatesOpenAtMs }: LogState,
  code: string,
  interrupts: (mark: SectorMark) => boolean,
): number {
  if (marks.some((mark) => isOf(mark, code))) return Infinity;
  const ended = endedMarks.filter((mark) => isOf(mark, code) && interrupts(mark));
  return Math.max(
    gatesOpenAtMs ?? -Infinity,
    reopenedAtMs ?? -Infinity,
    ...ended.map(({ endedAtMs = -Infinity }) => endedAtMs),
  );
}

function isOf({ sector }: SectorMark, code: string): boolean {
  return sector === code || sector === null;
}

/** Whether so many are still expected, at least this share of the valid tickets, that it would be odd if nobody came. */
export function isExpected(
  { atMs, kickOffAtMs }: Situation,
  { admitted, valid }: SectorTotals,
  share: number,
): boolean {
  const usualShare = atMs < kickOffAtMs - LATE_BEFORE_KICK_OFF_MS ? MOST_WHO_COME : FEWEST_WHO_COME;
  return usualShare * valid - admitted >= Math.max(MIN_PENDING, share * valid);
}
