import type { SectorTotals } from '../series/series-reading.ts';
import type { LogState } from '../log/log-state.ts';
import type { AlarmInputs, WaitReason } from './evaluation.ts';
import { FlowWindows } from './flow-windows.ts';
import {
  MIN_ATTENDANCE,
  LATE_BEFORE_KICK_OFF_MS,
  MAX_UNOBSERVED_MS,
  MIN_PENDING,
  MAX_ATTENDANCE,
  STOP_ENDS_AFTER_KICK_OFF_MS,
} from './limits.ts';
import type { SectorMark } from '../log/marks.ts';
import { stillToEnter } from '../series/still-to-enter.ts';
import { totalsAt } from '../series/totals-at.ts';
import { type UncountedSpan, uncountedSpans } from '../log/uncounted.ts';

/** The inputs of the rules of the flow, where they apply. */
export interface Situation {
  /** The last boundary, which was observed. */
  readonly atMs: number;
  readonly nowMs: number;
  readonly kickOffAtMs: number;
  readonly log: LogState;
  readonly windows: FlowWindows;
  readonly codes: readonly string[];
  /** The totals at that boundary. */
  readonly totals: readonly SectorTotals[];
  /** The earliest start of a window, by sector; Infinity under an active mark. */
  readonly appliesFromMs: readonly number[];
  /** When a silence may begin, by sector; Infinity under an active mark. */
  readonly silenceFromMs: readonly number[];
  /** The times of ended marks, by sector and in order: few readings then are not usual. */
  readonly marked: readonly (readonly UncountedSpan[])[];
}

/** Returns the situation, or why the rules do not apply. */
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
    nowMs - atMs <= MAX_UNOBSERVED_MS &&
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
    // A mark that has ended does not interrupt a silence: readings should be back. Only where entry was suspended nobody could
    // come, and people take a moment.
    silenceFromMs: codes.map((code) => appliesFromMs(log, code, ({ mark }) => mark === 'suspended')),
    marked: codes.map((code) => uncountedSpans(log.endedMarks.filter((mark) => isOf(mark, code)))),
  };
}

/** `interrupts`: whether the time before the end of a mark is left out. */
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

/** Whether enough people are still expected, at least this share of the valid tickets, that somebody should come. */
export function isExpected({ atMs, kickOffAtMs }: Situation, totals: SectorTotals, share: number): boolean {
  const usualShare = atMs < kickOffAtMs - LATE_BEFORE_KICK_OFF_MS ? MAX_ATTENDANCE : MIN_ATTENDANCE;
  return stillToEnter(totals, usualShare) >= Math.max(MIN_PENDING, share * totals.valid);
}
