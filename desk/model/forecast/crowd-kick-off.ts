import type { LogState } from '../log/log-state.ts';
import { MOST_POSTPONED_MS } from './limits.ts';

/**
 * The kick-off that people come for: that which was planned, where it is put off by little, because who is on the way does
 * not come later for that. Milliseconds since 1970; null where no kick-off is known.
 */
export function crowdKickOffMs({
  kickOffAtMs,
  plannedKickOffAtMs,
}: Pick<LogState, 'kickOffAtMs' | 'plannedKickOffAtMs'>): number | null {
  if (kickOffAtMs === null || plannedKickOffAtMs === null) return kickOffAtMs;
  const postponedMs = kickOffAtMs - plannedKickOffAtMs;
  return postponedMs > 0 && postponedMs <= MOST_POSTPONED_MS ? plannedKickOffAtMs : kickOffAtMs;
}
