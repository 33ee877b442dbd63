import type { DeskState } from '../../model/desk-state.ts';

const HOUR_MS = 3_600_000;
const BEFORE_KICK_OFF_MS = 3 * HOUR_MS;
const AFTER_KICK_OFF_MS = 2 * HOUR_MS;

/**
 * During the match the desk must not reload itself, which would switch its sound off: from the gates' opening to two hours after
 * kick-off, and whenever the times are unknown.
 */
export function isMatchTime({ nowMs, times: { gatesOpenAtMs, kickOffAtMs } }: DeskState): boolean {
  if (kickOffAtMs === null) return gatesOpenAtMs === null || nowMs >= gatesOpenAtMs;
  const fromMs = gatesOpenAtMs ?? kickOffAtMs - BEFORE_KICK_OFF_MS;
  return nowMs >= fromMs && nowMs <= kickOffAtMs + AFTER_KICK_OFF_MS;
}
