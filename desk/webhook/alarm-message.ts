import { createHash } from 'node:crypto';
import type { AlarmNotice } from '../model/alarms/alarm.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import { alarmWords, returnWords } from '../model/alarms/alarm-words.ts';
import type { WebhookMessage } from './post-message.ts';

/** What a message needs beside its entry. */
export interface AlarmMessageContext {
  readonly eventId: string;
  readonly title: string | null;
  /** The IANA name of the time zone in `text`. */
  readonly timeZone: string;
  readonly nameOf: (code: string) => string;
  readonly find: (id: string) => LogEntry | undefined;
}

type AlarmEntry = Extract<LogEntry, { kind: 'alarm' }>;

const TYPES = {
  alarm: 'alarm.raised',
  'alarm-again': 'alarm.raised_again',
  'alarm-joined': 'alarm.joined',
  acknowledge: 'alarm.acknowledged',
  mark: 'alarm.acknowledged',
  'alarm-returned': 'alarm.returned',
} as const;

/** What precedes the words of the alarm. */
const PREFIXES = {
  alarm: '',
  'alarm-again': 'O alarme chama de novo: ',
  'alarm-joined': 'Mais setores: ',
  acknowledge: 'Ciente: ',
  mark: 'Ciente: ',
} as const;

/** Returns the message about an entry, `undefined` if nothing is sent of it. docs/reference.md describes the fields. */
export function toAlarmMessage(entry: LogEntry, context: AlarmMessageContext): WebhookMessage | undefined {
  if (!isOfAlarm(entry)) return undefined;
  // Nobody is called while the rule is suspended. The alarm calls again when the suspension ends.
  if ('isSilent' in entry.data && entry.data.isSilent) return undefined;
  const alarm = entry.kind === 'alarm' ? entry : context.find(entry.data.alarm ?? '');
  if (alarm?.kind !== 'alarm') return undefined;
  const { eventId, title, nameOf } = context;
  const notice = noticeOf(alarm, entry);
  const codes = sectorsOf(alarm, notice, entry);
  const body = {
    type: TYPES[entry.kind],
    timestamp: isoTime(entry.atMs),
    text: textOf(entry, notice, codes, context),
    data: {
      event: { id: eventId, title },
      alarm: alarm.id,
      rule: alarm.data.rule,
      sectors: codes.map((code) => ({ code, name: nameOf(code) })),
      figures: notice.figures,
      since: isoTime(alarm.atMs),
      by: entry.by,
      note: entry.kind === 'acknowledge' ? entry.data.note : null,
      why: entry.kind === 'alarm-returned' || entry.kind === 'alarm-again' ? entry.data.why : null,
      source: entry.source,
    },
  };
  const id = createHash('sha256').update(`${eventId} ${entry.id}`).digest('hex').slice(0, 32);
  return { id: `alarm_${id}`, body: JSON.stringify(body) };
}

function isOfAlarm(entry: LogEntry): entry is Extract<LogEntry, { kind: keyof typeof TYPES }> {
  return entry.kind in TYPES && (entry.kind === 'alarm' || 'alarm' in entry.data);
}

/** A recurred alarm has new figures. */
function noticeOf({ data }: AlarmEntry, entry: LogEntry): AlarmNotice {
  if (entry.kind !== 'alarm-again' || entry.data.why !== 'recurred') return data;
  return { rule: data.rule, figures: entry.data.figures } as AlarmNotice;
}

/** Returns no sector for the whole ground. */
function sectorsOf({ sector }: AlarmEntry, notice: AlarmNotice, entry: LogEntry): readonly string[] {
  if (entry.kind === 'alarm-joined') return entry.data.sectors.map((stopped) => stopped.sector);
  if (notice.rule === 'several-stopped') return notice.figures.sectors.map((stopped) => stopped.sector);
  return sector === null ? [] : [sector];
}

function textOf(
  entry: Extract<LogEntry, { kind: keyof typeof TYPES }>,
  notice: AlarmNotice,
  codes: readonly string[],
  { timeZone, nameOf }: AlarmMessageContext,
): string {
  const format = new Intl.DateTimeFormat('pt-BR', { timeStyle: 'short', timeZone });
  const timeOf = (atMs: number): string => format.format(atMs);
  const invented = entry.source === 'simulated' ? 'SIMULADO · ' : '';
  const words = alarmWords(notice, codes.map(nameOf), timeOf);
  const note = entry.kind === 'acknowledge' && entry.data.note !== null ? `: ${entry.data.note}` : '';
  const who = entry.by === null ? '' : ` (${entry.by}${note})`;
  return `${invented}${timeOf(entry.atMs)} · ${prefixOf(entry, notice)}${words}${who}`;
}

function prefixOf(entry: Extract<LogEntry, { kind: keyof typeof TYPES }>, { rule }: AlarmNotice): string {
  if (entry.kind !== 'alarm-returned') return PREFIXES[entry.kind];
  const [first = '', ...rest] = returnWords(entry.data.why, rule);
  return `${first.toUpperCase()}${rest.join('')}: `;
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
