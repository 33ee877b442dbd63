import type { LogEntry } from '../log/flow-log.ts';
import type { LogState } from '../log/log-state.ts';
import { MINUTE_MS } from '../series/minute.ts';
import type { AlarmSubject } from './alarm.ts';

/** Returns when the suspension ends by itself. */
export function suspensionEndMs({ atMs, data }: Extract<LogEntry, { kind: 'suspend' }>): number {
  return atMs + data.minutes * MINUTE_MS;
}

export function isSuspended(
  { suspensions }: Pick<LogState, 'suspensions'>,
  { rule, sector }: AlarmSubject,
  nowMs: number,
): boolean {
  return suspensions.some((each) => each.rule === rule && each.sector === sector && each.untilMs > nowMs);
}
