import { createHash } from 'node:crypto';
import type { AlarmNotice } from '../../../domain/flow/alarms/alarm.ts';
import type { LogRow } from '../../../domain/flow/flow-log.ts';
import { alarmWords } from '../../../domain/flow/alarms/alarm-words.ts';
import type { WebhookMessage } from './post-message.ts';

/** What a message says beside its row. */
export interface AlarmMessageContext {
  readonly eventId: string;
  readonly title: string | null;
  /** An IANA name: of the time in `text`. */
  readonly timeZone: string;
  /** By the code of its row. */
  readonly nameOf: (code: string) => string;
  /** The row of the log with this id. */
  readonly find: (id: string) => LogRow | undefined;
}

type AlarmRow = Extract<LogRow, { kind: 'alarm' }>;

const TYPES = {
  alarm: 'alarm.raised',
  'alarm-again': 'alarm.raised_again',
  'alarm-joined': 'alarm.joined',
  acknowledge: 'alarm.acknowledged',
  'alarm-returned': 'alarm.returned',
} as const;

/** Said before what the alarm says, to people. */
const PREFIXES = {
  alarm: '',
  'alarm-again': 'De novo: ',
  'alarm-joined': 'Mais setores: ',
  acknowledge: 'Ciente: ',
  'alarm-returned': 'Encerrado: ',
} as const;

/** What is sent of a row of the log; `undefined`: it says nothing of an alarm. docs/operations.md describes the fields. */
export function toAlarmMessage(row: LogRow, context: AlarmMessageContext): WebhookMessage | undefined {
  if (!isOfAlarm(row)) return undefined;
  const alarm = row.kind === 'alarm' ? row : context.find(row.data.alarm);
  if (alarm?.kind !== 'alarm') return undefined;
  const { eventId, title, nameOf } = context;
  const notice = noticeOf(alarm, row);
  const codes = sectorsOf(alarm, notice, row);
  const body = {
    type: TYPES[row.kind],
    timestamp: isoTime(row.atMs),
    text: textOf(row, notice, codes, context),
    data: {
      event: { id: eventId, title },
      alarm: alarm.id,
      rule: alarm.data.rule,
      sectors: codes.map((code) => ({ code, name: nameOf(code) })),
      figures: notice.figures,
      since: isoTime(alarm.atMs),
      by: row.by,
      note: row.kind === 'acknowledge' ? row.data.note : null,
      why: row.kind === 'alarm-returned' || row.kind === 'alarm-again' ? row.data.why : null,
      source: row.source,
    },
  };
  const id = createHash('sha256').update(`${eventId} ${row.id}`).digest('hex').slice(0, 32);
  return { id: `alarm_${id}`, body: JSON.stringify(body) };
}

function isOfAlarm(row: LogRow): row is Extract<LogRow, { kind: keyof typeof TYPES }> {
  return row.kind in TYPES;
}

/** What came back has figures of its own. */
function noticeOf({ data }: AlarmRow, row: LogRow): AlarmNotice {
  if (row.kind !== 'alarm-again' || row.data.why !== 'recurred') return data;
  return { rule: data.rule, figures: row.data.figures } as AlarmNotice;
}

/** Of the whole ground: none. */
function sectorsOf({ sector }: AlarmRow, notice: AlarmNotice, row: LogRow): readonly string[] {
  if (row.kind === 'alarm-joined') return row.data.sectors.map((stopped) => stopped.sector);
  if (notice.rule === 'several-stopped') return notice.figures.sectors.map((stopped) => stopped.sector);
  return sector === null ? [] : [sector];
}

function textOf(
  row: Extract<LogRow, { kind: keyof typeof TYPES }>,
  notice: AlarmNotice,
  codes: readonly string[],
  { timeZone, nameOf }: AlarmMessageContext,
): string {
  const format = new Intl.DateTimeFormat('pt-BR', { timeStyle: 'short', timeZone });
  const timeOf = (atMs: number): string => format.format(atMs);
  const invented = row.source === 'simulated' ? 'SIMULADO · ' : '';
  const words = alarmWords(notice, codes.map(nameOf), timeOf);
  const said = row.kind === 'acknowledge' && row.data.note !== null ? `: ${row.data.note}` : '';
  const who = row.by === null ? '' : ` (${row.by}${said})`;
  return `${invented}${timeOf(row.atMs)} · ${PREFIXES[row.kind]}${words}${who}`;
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
