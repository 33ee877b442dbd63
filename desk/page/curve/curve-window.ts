import type { CurvePoint } from '../../model/series/curve.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { DeskState } from '../../model/desk-state.ts';
import type { LogMarker } from './log-marker.ts';

export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The window begins this long before kick-off if the gates' opening is unknown. */
const BEFORE_KICK_OFF_MS = 120 * MINUTE_MS;
/** This leaves room for late entries, and for the numbers of the range. */
const BEHIND_KICK_OFF_MS = 30 * MINUTE_MS;
/** Entries outside the window extend it by at most this much: a crew that enters at noon must not make the curve narrow. */
const MAX_BEFORE_MS = 30 * MINUTE_MS;
const MAX_BEHIND_MS = 120 * MINUTE_MS;
/** The limits of a window without any times. */
const MIN_MS = 60 * MINUTE_MS;
const MAX_MS = 6 * 60 * MINUTE_MS;
const STEP_MS = 15 * MINUTE_MS;

/** The curve covers the time from the gates' opening to half an hour after kick-off, or longer where people enter, or something is declared, later. */
export function curveWindow(
  { times, nowMs }: Pick<DeskState, 'times' | 'nowMs'>,
  plannedKickOffAtMs: number | null,
  points: readonly CurvePoint[],
  markers: readonly LogMarker[],
): TimeWindow {
  const entries = entriesIn(points);
  const { gatesOpenAtMs, kickOffAtMs } = times;
  const beginMs = gatesOpenAtMs ?? (kickOffAtMs === null ? null : kickOffAtMs - BEFORE_KICK_OFF_MS);
  if (beginMs === null) {
    const toMs = ceilStep(Math.max(nowMs, entries?.toMs ?? nowMs));
    const fromMs = Math.min(entries?.fromMs ?? toMs, toMs - MIN_MS);
    return { fromMs: floorStep(Math.max(fromMs, toMs - MAX_MS)), toMs };
  }
  const lastMs = Math.max(
    kickOffAtMs ?? beginMs + BEFORE_KICK_OFF_MS,
    plannedKickOffAtMs ?? beginMs,
    beginMs,
  );
  const firstEntryMs = Math.max(entries?.fromMs ?? beginMs, beginMs - MAX_BEFORE_MS);
  const lastShownMs = Math.max(entries?.toMs ?? lastMs, ...markers.map(({ atMs }) => atMs));
  return {
    fromMs: floorStep(Math.min(beginMs, firstEntryMs)),
    toMs: ceilStep(Math.max(lastMs + BEHIND_KICK_OFF_MS, Math.min(lastShownMs, lastMs + MAX_BEHIND_MS))),
  };
}

/** The window from the first to the last change of the count. */
function entriesIn(points: readonly CurvePoint[]): TimeWindow | null {
  const isChange = ({ admitted }: CurvePoint, index: number): boolean =>
    index > 0 && admitted !== points[index - 1]?.admitted;
  const first = points.findIndex(isChange);
  const last = points.findLastIndex(isChange);
  const [before, after] = [points[first - 1], points[last]];
  return before && after ? { fromMs: before.atMs, toMs: after.atMs } : null;
}

function floorStep(ms: number): number {
  return Math.floor(ms / STEP_MS) * STEP_MS;
}

function ceilStep(ms: number): number {
  return Math.ceil(ms / STEP_MS) * STEP_MS;
}
