import type { LogState } from '../log/log-state.ts';
import type { AlarmSubject } from './alarm.ts';

export function isSuspended(
  { suspensions }: Pick<LogState, 'suspensions'>,
  { rule, sector }: AlarmSubject,
  nowMs: number,
): boolean {
  return suspensions.some((each) => each.rule === rule && each.sector === sector && each.untilMs > nowMs);
}
