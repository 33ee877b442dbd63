import { type AlarmRule, SUSPENSION_MINUTES, type SuspensionMinutes } from '../alarms/alarm.ts';
import { ALARM_RULES } from '../alarms/rules.ts';
import type { DeskCommand } from './desk-command.ts';
import type { Mark, TakeBackReason } from './flow-log.ts';
import { FieldError, type Fields, readFields, refuseOtherFields } from './fields.ts';
import { makesIncomplete } from './marks.ts';
import { MINUTE_MS } from '../series/minute.ts';
import { readPlainText } from '../../../domain/plain-text.ts';

const MAX_TEXT_LENGTH = 500;

const MAX_ENTRY_ID_LENGTH = 200;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const MARKS: readonly Mark[] = ['unscanned', 'suspended', 'elsewhere'];

const TAKE_BACK_REASONS: readonly TakeBackReason[] = ['ended', 'mistake'];

/** No ground holds more people. */
const MAX_ESTIMATE = 1_000_000;

/** A time that is further away from now is in a wrong unit, or of another day. */
const MAX_DISTANCE_MS = 24 * 60 * MINUTE_MS;
/** The clocks of two counters may differ by this much. */
const CLOCKS_APART_MS = MINUTE_MS;

interface CommandContext {
  readonly sectors: readonly string[];
  /** The time of the flow's clock. */
  readonly nowMs: number;
}

type Kind = DeskCommand['kind'];
type CommandOf<K extends Kind> = Extract<DeskCommand, { kind: K }>;

/** The fields of each kind beside `id` and `kind`, and their readers. */
const READERS: {
  readonly [K in Kind]: {
    readonly fields: readonly string[];
    readonly read: (fields: Fields, context: CommandContext) => Omit<CommandOf<K>, 'id' | 'kind'>;
  };
} = {
  mark: {
    fields: ['sector', 'mark', 'sinceMs', 'estimate', 'alarm'],
    read: (fields, context) => {
      const mark = readMark(fields['mark']);
      const { sinceMs, estimate, alarm } = fields;
      return {
        sector: readSector(fields['sector'], context),
        mark,
        ...(sinceMs !== undefined && { sinceMs: readSince(sinceMs, context) }),
        ...(estimate !== undefined && { estimate: readEstimateOf(mark, estimate) }),
        ...(alarm !== undefined && { alarm: readEntryId('alarm', alarm) }),
      };
    },
  },
  estimate: {
    fields: ['mark', 'count', 'how'],
    read: (fields) => ({ mark: readEntryId('mark', fields['mark']), ...readEstimate(fields) }),
  },
  'kick-off': {
    fields: ['kickOffAtMs', 'fromMs'],
    read: ({ kickOffAtMs, fromMs }, context) => ({
      kickOffAtMs: readKickOff(kickOffAtMs, context),
      ...(fromMs !== undefined && { fromMs: readKickOffBefore(fromMs) }),
    }),
  },
  'entry-closed': { fields: [], read: () => ({}) },
  evacuation: { fields: [], read: () => ({}) },
  occurrence: {
    fields: ['sector', 'text'],
    read: (fields, context) => ({
      sector: readSector(fields['sector'] ?? null, context),
      text: readText('text', fields['text'], MAX_TEXT_LENGTH),
    }),
  },
  'take-back': {
    fields: ['entryId', 'why'],
    read: (fields) => ({
      entryId: readEntryId('entryId', fields['entryId']),
      ...(fields['why'] !== undefined && { why: readTakeBackReason(fields['why']) }),
    }),
  },
  acknowledge: {
    fields: ['alarm', 'note'],
    read: (fields) => ({
      alarm: readEntryId('alarm', fields['alarm']),
      note: readNote(fields['note'] ?? null),
    }),
  },
  suspend: {
    fields: ['rule', 'sector', 'minutes', 'reason'],
    read: (fields, context) => ({
      rule: readRule(fields['rule']),
      sector: readSector(fields['sector'] ?? null, context),
      minutes: readSuspension(fields['minutes']),
      reason: readText('reason', fields['reason'], MAX_TEXT_LENGTH),
    }),
  },
};

/** Reads a command from a body. @throws FieldError */
export function readCommand(body: unknown, context: CommandContext): DeskCommand {
  const fields = readFields(body);
  const kind = readKind(fields['kind']);
  const reader = READERS[kind];
  refuseOtherFields(fields, ['id', 'kind', 'by', 'untilMs', 'seenSeq', ...reader.fields]);
  const { id, seenSeq } = fields;
  return {
    id: readId(id),
    ...(seenSeq !== undefined && { seenSeq: readSeq(seenSeq) }),
    kind,
    ...reader.read(fields, context),
  } as DeskCommand;
}

/** Reads the operator's name that the page displayed when the command was given, if the body has it. */
export function readGivenBy(body: unknown): string | undefined {
  const { by } = readFields(body);
  return by === undefined ? undefined : readText('by', by, MAX_TEXT_LENGTH);
}

/** Reads the latest time at which the command may be recorded, by the servers' clocks, if the body has it. */
export function readUntil(body: unknown): number | undefined {
  const { untilMs } = readFields(body);
  if (untilMs === undefined) return undefined;
  if (Number.isSafeInteger(untilMs)) return untilMs as number;
  throw new FieldError('untilMs', 'give milliseconds since 1970');
}

export function readText(field: string, value: unknown, maxLength: number): string {
  const read = readPlainText(value, maxLength);
  if ('fault' in read) throw new FieldError(field, read.fault);
  return read.text;
}

function readSeq(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new FieldError('seenSeq', 'give the seq of a row of the log, or 0');
}

function readKind(value: unknown): Kind {
  const kinds = Object.keys(READERS) as Kind[];
  const kind = kinds.find((known) => known === value);
  if (kind === undefined) throw new FieldError('kind', `give one of ${kinds.join(', ')}`);
  return kind;
}

/** Normalizes a UUID, since the log compares ids as text. */
function readId(value: unknown): string {
  const id = typeof value === 'string' ? value.toLowerCase() : '';
  if (!UUID.test(id)) throw new FieldError('id', 'give a UUID');
  return id;
}

/** The id of an import, which can be taken back, too, is no UUID. */
function readEntryId(field: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_ENTRY_ID_LENGTH) return value;
  throw new FieldError(field, "give the id of the log's entry");
}

function readSector(value: unknown, { sectors }: CommandContext): string | null {
  if (value === null) return null;
  const sector = sectors.find((code) => code === value);
  if (sector === undefined) throw new FieldError('sector', "give the code of one of the event's sectors");
  return sector;
}

function readMark(value: unknown): Mark {
  const mark = MARKS.find((known) => known === value);
  if (mark === undefined) throw new FieldError('mark', `give one of ${MARKS.join(', ')}`);
  return mark;
}

function readKickOff(value: unknown, { nowMs }: CommandContext): number {
  if (isInstant(value) && Math.abs(value - nowMs) <= MAX_DISTANCE_MS) return value;
  throw new FieldError('kickOffAtMs', 'give milliseconds since 1970, within a day from now');
}

function readKickOffBefore(value: unknown): number | null {
  if (value === null || isInstant(value)) return value;
  throw new FieldError('fromMs', 'give milliseconds since 1970, or null');
}

function readSince(value: unknown, { nowMs }: CommandContext): number {
  const isPast = isInstant(value) && value <= nowMs + CLOCKS_APART_MS && value >= nowMs - MAX_DISTANCE_MS;
  if (!isPast) throw new FieldError('sinceMs', 'give milliseconds since 1970, within the last day');
  return value;
}

function isInstant(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function readEstimateOf(mark: Mark, value: unknown): ReturnType<typeof readEstimate> {
  if (makesIncomplete(mark) && typeof value === 'object' && value !== null) {
    return readEstimate(value as Fields);
  }
  throw new FieldError('estimate', 'give {count, how}, of a mark under which people pass uncounted');
}

function readEstimate({ count, how }: Fields): { readonly count: number; readonly how: string } {
  if (!Number.isSafeInteger(count) || (count as number) < 1 || (count as number) > MAX_ESTIMATE)
    throw new FieldError('count', `give a whole number from 1 to ${MAX_ESTIMATE}`);
  return { count: count as number, how: readText('how', how, MAX_TEXT_LENGTH) };
}

function readTakeBackReason(value: unknown): TakeBackReason {
  const why = TAKE_BACK_REASONS.find((known) => known === value);
  if (why === undefined) throw new FieldError('why', `give one of ${TAKE_BACK_REASONS.join(', ')}`);
  return why;
}

function readNote(value: unknown): string | null {
  return value === null ? null : readText('note', value, MAX_TEXT_LENGTH);
}

function readRule(value: unknown): AlarmRule {
  const rule = ALARM_RULES.find((known) => known === value);
  if (rule === undefined) throw new FieldError('rule', `give one of ${ALARM_RULES.join(', ')}`);
  return rule;
}

function readSuspension(value: unknown): SuspensionMinutes {
  const minutes = SUSPENSION_MINUTES.find((known) => known === value);
  if (minutes === undefined) throw new FieldError('minutes', `give one of ${SUSPENSION_MINUTES.join(', ')}`);
  return minutes;
}
