import type { AlarmCounts } from './alarm-counts.ts';
import type { MetricAdders } from '../../board/metrics/server-metrics.ts';

export interface RecordMetrics {
  readonly minutesWritten: () => number;
  readonly minutesWaiting: () => number;
  /** Seconds since the end of the newest recorded minute; NaN before the first. */
  readonly lastMinuteAgeS: () => number;
  readonly isLeader: () => boolean;
  readonly alarms: () => AlarmCounts;
  /** Messages to ALARM_WEBHOOK_URL; `undefined` where it is not set. */
  readonly webhook:
    | { readonly taken: number; readonly waiting: number; readonly givenUp: number }
    | undefined;
}

export function addRecordMetrics(adders: MetricAdders, record: RecordMetrics): void {
  const { gauge, counter } = adders;
  counter(
    'triagem_record_minutes_written_total',
    'Minutes of flow that this process wrote into the record.',
    record.minutesWritten,
  );
  gauge('triagem_record_minutes_waiting', 'Known minutes that are not written yet.', record.minutesWaiting);
  gauge(
    'triagem_record_last_minute_age_seconds',
    'Since the end of the newest recorded minute; NaN before the first.',
    record.lastMinuteAgeS,
  );
  gauge('triagem_record_writer', '1 where this process writes the record, else 0.', () =>
    record.isLeader() ? 1 : 0,
  );
  addAlarmMetrics(adders, record);
}

function addAlarmMetrics({ gauge, counter }: MetricAdders, { alarms, webhook }: RecordMetrics): void {
  gauge('triagem_alarms_active', 'Alarms whose condition holds.', () => alarms().active);
  gauge(
    'triagem_alarms_unacknowledged',
    'Alarms that nobody has acknowledged.',
    () => alarms().unacknowledged,
  );
  counter('triagem_alarms_raised_total', 'Alarms in the log of the event shown.', () => alarms().raised);
  gauge(
    'triagem_alarms_watch_age_seconds',
    'Since the instant that the rules of alarms looked at last; NaN before the first.',
    () => alarms().watchAgeS,
  );
  if (!webhook) return;
  counter(
    'triagem_alarm_webhook_taken_total',
    'Messages about alarms that the receiver took from this process.',
    () => webhook.taken,
  );
  counter(
    'triagem_alarm_webhook_given_up_total',
    'Messages about alarms that were refused for good, too old or too many.',
    () => webhook.givenUp,
  );
  gauge('triagem_alarm_webhook_waiting', 'Messages about alarms that wait.', () => webhook.waiting);
}
