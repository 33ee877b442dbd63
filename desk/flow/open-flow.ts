import type { Logger } from 'pino';
import type { Freshness } from '../../domain/event-state.ts';
import type { Source } from '../model/log/flow-log.ts';
import type { Sector } from '../../domain/venue.ts';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { ageOfMinuteS } from './describe-desk.ts';
import { EventFlow } from './event-flow.ts';
import { type FlowClock, REAL_TIME } from './flow-clock.ts';
import type { IncompleteListener } from './incomplete-watch.ts';
import { HistoryWatch } from '../record/history-watch.ts';
import type { RecordMetrics } from './record-metrics.ts';
import { ReadingsWatch } from './readings-watch.ts';
import { MemoryRecord } from '../record/memory-record.ts';
import { PostgresRecord } from '../record/postgres-record.ts';
import type { FlowRecord } from '../record/record.ts';
import { recordWarning } from '../record/record-warning.ts';
import type { RecordedHistoryOptions } from '../record/recorded-history.ts';
import { toAlarmMessage } from '../webhook/alarm-message.ts';
import { AlarmWebhook } from '../webhook/alarm-webhook.ts';
import { WEBHOOK_LIMITS } from '../webhook/webhook-limits.ts';
import { isReadOnTheWay, type WebhookTarget } from '../webhook/webhook-target.ts';

export interface FlowOptions {
  readonly eventId: string;
  readonly sectors: readonly Sector[];
  readonly timeZone: string;
  /** The source of minutes and entries. */
  readonly source: Source;
  /** The address for the record's role; `undefined`: the record is kept in memory. */
  readonly record: ServerAddress | undefined;
  readonly kickOffsOf: RecordedHistoryOptions['kickOffsOf'];
  /** The database into which gates write over HTTP, for the observer's role; `undefined`: gates write elsewhere. */
  readonly readingsFrom: ServerAddress | undefined;
  readonly version: string;
  /** The receiver of alarms, if there is one. */
  readonly alarmWebhook: WebhookTarget | undefined;
  readonly clock?: FlowClock | undefined;
  readonly freshness: () => Freshness;
  /** Whether another server counts another primary of the same database. */
  readonly isSplit?: (() => boolean) | undefined;
  /** Is called with incomplete counts once the log is read, and at each change. */
  readonly onIncomplete: IncompleteListener;
  readonly log: Logger;
}

/** The flow of an event with its record, which has been started. */
export interface OpenFlow {
  readonly flow: EventFlow;
  readonly metrics: RecordMetrics;
  /** A warning for the operator about record or webhook; `undefined` while all is well. */
  readonly warning: () => string | undefined;
  /** See `FlowRecord.setReachable`. */
  setReachable(isReachable: boolean): void;
  stop(): Promise<void>;
}

export function openFlow(options: FlowOptions): OpenFlow {
  const { record: address, clock = REAL_TIME } = options;
  const { eventId, sectors, source, log } = options;
  const record =
    address === undefined
      ? new MemoryRecord(eventId)
      : new PostgresRecord({
          ...address,
          eventId,
          source,
          rows: sectors,
          log,
        });
  if (!record.isKept)
    log.warn('RECORD_DATABASE_URL is not set: minutes and log are in memory, until Triagem stops');
  const { readingsFrom } = options;
  const readings = readingsFrom && new ReadingsWatch({ from: readingsFrom, eventId, log });
  const flow = new EventFlow({ ...options, clock, record, readings: () => readings?.readings });
  const webhook = options.alarmWebhook && openWebhook(options.alarmWebhook, options, flow, record);
  flow.start(webhook);
  const history =
    address === undefined
      ? undefined
      : new HistoryWatch({
          record: address,
          kickOffsOf: options.kickOffsOf,
          eventId,
          isSimulated: source === 'simulated',
          onHistory: (earlier) => flow.setHistory(earlier),
          log,
        });
  return {
    flow,
    metrics: {
      minutesWritten: () => record.minutesWritten,
      minutesWaiting: () => record.minutesWaiting,
      lastMinuteAgeS: () => ageOfMinuteS(record.lastMinuteMs, flow.nowMs),
      isLeader: () => record.state.kind === 'writer',
      alarms: () => flow.alarmCounts,
      webhook,
    },
    warning: () =>
      [flowWarning(flow), recordWarning(record, flow.nowMs, clock), webhook?.warning]
        .filter(Boolean)
        .join('. ') || undefined,
    setReachable: (isReachable) => record.setReachable(isReachable),
    async stop() {
      flow.stop();
      // Answers to the last alarms are still noted in the record.
      await Promise.all([history?.stop(), webhook?.stop(), readings?.stop()]);
      await record.stop();
    },
  };
}

function flowWarning({ hasStopped }: EventFlow): string | undefined {
  if (!hasStopped) return undefined;
  return 'The flow desk has stopped by a fault of its own (see the log); the counts go on. Restart this process to start it again';
}

function openWebhook(
  target: WebhookTarget,
  { eventId, sectors, timeZone, log }: FlowOptions,
  flow: EventFlow,
  record: FlowRecord,
): AlarmWebhook {
  if (isReadOnTheWay(target)) {
    log.warn(
      'ALARM_WEBHOOK_URL begins with http:// and is on another machine: anybody on the way can read the alarms, with the names of those who acknowledge; set an https:// address (docs/security.md)',
    );
  }
  const names = new Map(sectors.map(({ code, name }) => [code, name]));
  return new AlarmWebhook({
    target,
    toMessage: (entry) =>
      toAlarmMessage(entry, {
        eventId,
        title: flow.details?.title ?? null,
        timeZone: flow.details?.timeZone ?? timeZone,
        nameOf: (code) => names.get(code) ?? 'Outros',
        find: (id) => flow.find(id),
      }),
    maySend(isRecorded) {
      if (record.state.kind === 'away') return flow.isLastLeader;
      return isRecorded && record.state.kind === 'writer';
    },
    onAnswered: ({ id }, status) => flow.notified(id, status),
    nowMs: () => flow.nowMs,
    log,
    limits: WEBHOOK_LIMITS,
  });
}
