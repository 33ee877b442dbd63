import type { DeskState } from '../../model/desk-state.ts';

const HOUR_MS = 3_600_000;
const BEFORE_KICK_OFF_MS = 3 * HOUR_MS;
const AFTER_KICK_OFF_MS = 2 * HOUR_MS;

/**
 * Whether the desk must stay as it is: a page that reloads itself has its sound switched off. Between gates open and two
 * hours after kick-off; and wherever the times do not tell.
 */
export function isMatchTime({ nowMs, times: { gatesOpenAtMs, kickOffAtMs } }: DeskState): boolean {
  if (kickOffAtMs === null) return gatesOpenAtMs === null || nowMs >= gatesOpenAtMs;
  const fromMs = gatesOpenAtMs ?? kickOffAtMs - BEFORE_KICK_OFF_MS;
  return nowMs >= fromMs && nowMs <= kickOffAtMs + AFTER_KICK_OFF_MS;
}
