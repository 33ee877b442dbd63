import type { LogState } from '../log/log-state.ts';
import { MAX_POSTPONED_MS } from './limits.ts';

/**
 * Returns the kick-off that people come for, in milliseconds since 1970: the planned one after a short postponement, since
 * people on their way do not come later. Null without a kick-off.
 */
export function crowdKickOffMs({
  kickOffAtMs,
  plannedKickOffAtMs,
}: Pick<LogState, 'kickOffAtMs' | 'plannedKickOffAtMs'>): number | null {
  if (kickOffAtMs === null || plannedKickOffAtMs === null) return kickOffAtMs;
  const postponedMs = kickOffAtMs - plannedKickOffAtMs;
  return postponedMs > 0 && postponedMs <= MAX_POSTPONED_MS ? plannedKickOffAtMs : kickOffAtMs;
}
