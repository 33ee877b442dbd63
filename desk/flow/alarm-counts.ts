import type { EventLog } from './event-log.ts';

export interface AlarmCounts {
  /** Alarms whose condition holds. */
  readonly active: number;
  readonly unacknowledged: number;
  /** All alarms in the log of the event. */
  readonly raised: number;
  /** The age of the instant that the rules were last applied to, in seconds; NaN before the first. */
  readonly watchAgeS: number;
}

/** `lookedAtMs`: the instant that the rules were last applied to, by the flow's clock. */
export function countAlarms(
  log: EventLog,
  lookedAtMs: number | null | undefined,
  nowMs: number,
): AlarmCounts {
  const { alarms } = log.state;
  return {
    active: alarms.filter(({ returnedAtMs }) => returnedAtMs === null).length,
    unacknowledged: alarms.filter(({ acknowledged }) => acknowledged === null).length,
    raised: log.of('alarm').length,
    watchAgeS: (nowMs - (lookedAtMs ?? Number.NaN)) / 1_000,
  };
}
