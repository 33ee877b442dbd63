import type { EventLog } from './event-log.ts';

/** The alarms as the metrics count them. */
export interface AlarmCounts {
  /** Whose condition holds. */
  readonly active: number;
  readonly unacknowledged: number;
  /** In the log of the event. */
  readonly raised: number;
  /** How old what the rules looked at last is; NaN before. */
  readonly watchAgeS: number;
}

/** `lookedAtMs` is the instant that the rules looked at last, by the flow's clock. */
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
