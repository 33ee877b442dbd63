import type { SectorTotals } from '../series-reading.ts';
import type { LogState } from '../log-state.ts';
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
import { totalsAt } from '../totals-at.ts';

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
  const atMs = series.passedMs;
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
    appliesFromMs: codes.map((code) => appliesFromMs(log, code)),
  };
}

function appliesFromMs({ marks, resumedAtMs, gatesOpenAtMs }: LogState, code: string): number {
  if (marks.some(({ sector }) => sector === code || sector === null)) return Infinity;
  return Math.max(
    gatesOpenAtMs ?? -Infinity,
    resumedAtMs.get(code) ?? -Infinity,
    resumedAtMs.get(null) ?? -Infinity,
  );
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
