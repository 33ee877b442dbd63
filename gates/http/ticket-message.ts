import { isUtf8 } from 'node:buffer';
import { quoteValue } from '../cli/errors.ts';
import { MAX_ID_BYTES, MAX_SECTOR_BYTES } from '../import/csv/ticket-line.ts';
import { readSentAt } from './sent-at.ts';

/** A change of a ticket: fields that are undefined stay as they are. */
export interface TicketMessage {
  readonly id: string;
  readonly isValid: boolean | undefined;
  readonly entrou: boolean | undefined;
  readonly setor: string | undefined;
  readonly gate: string | undefined;
  /** UTC to the microsecond, as text that sorts by time (sent-at.ts). */
  readonly at: string | undefined;
  /** The age of `at` on arrival, by our clock; negative where `at` is ahead, 0 without `at`. */
  readonly ageMs: number;
}

export const MAX_GATE_BYTES = 64;

const FIELDS: readonly string[] = ['id', 'isValidTicket', 'entrou', 'setor', 'gate', 'at'];

/** Parses one message. @throws Error that names the fault; a BadTime where that is in `at`. */
export function readTicketMessage(bytes: Buffer, nowMs: number): TicketMessage {
  const object = readObject(bytes);
  const id = readText('id', object['id'], MAX_ID_BYTES);
  if (id === undefined) throw new Error('it has no id');
  if (id === '') throw new Error('its id is empty');
  const isValid = readBoolean('isValidTicket', object['isValidTicket']);
  const entrou = readBoolean('entrou', object['entrou']);
  const setor = readText('setor', object['setor'], MAX_SECTOR_BYTES);
  // The board would count the ticket in no sector.
  if (setor?.trim() === '') throw new Error('its setor is empty: leave it out where it is not known');
  if (isValid === undefined && entrou === undefined && setor === undefined) {
    throw new Error('it has none of entrou, isValidTicket and setor');
  }
  const gate = readText('gate', object['gate'], MAX_GATE_BYTES);
  // 64 bytes hold every valid time, and keep answers that quote it short.
  const at = readText('at', object['at'], 64);
  const fields = { id, isValid, entrou, setor, gate };
  if (at === undefined) return { ...fields, at: undefined, ageMs: 0 };
  const { text, ms } = readSentAt(at);
  return { ...fields, at: text, ageMs: nowMs - ms };
}

/** Returns the gate of a message that is wrong, whatever it is; undefined where it has none or cannot be read. */
export function readGate(bytes: Buffer): unknown {
  try {
    return (JSON.parse(bytes.toString()) as { readonly gate?: unknown }).gate;
  } catch {
    return undefined;
  }
}

function readObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('it is no JSON object');
  }
  const names = Object.keys(value);
  const unknown = names.find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    const short = unknown.length > 40 ? `${unknown.slice(0, 40)}…` : unknown;
    throw new Error(`it has a field ${quoteValue(short)}, which is none of ${FIELDS.join(', ')}`);
  }
  // JSON.parse would silently keep the last of two. A value that has names itself is refused where it is read.
  const isFlat = Object.values(value).every((each) => typeof each !== 'object' || each === null);
  if (isFlat && countNames(text) !== names.length) throw new Error('it has a field twice');
  return value as Record<string, unknown>;
}

/** Counts the field names in the text of a JSON object. */
function countNames(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) count += 1;
  return count;
}

/** Returns undefined for absent fields, for which some programs write null. */
function readText(name: string, value: unknown, maxBytes: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new Error(`its ${name} is no text: put it in quotes`);
  if (Buffer.byteLength(value) > maxBytes) throw new Error(`its ${name} is longer than ${maxBytes} bytes`);
  if (value.includes('\0')) throw new Error(`its ${name} holds a NUL, which PostgreSQL cannot store`);
  if (/\p{Surrogate}/u.test(value)) throw new Error(`its ${name} holds half a character`);
  return value;
}

function readBoolean(name: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw new Error(`its ${name} is neither true nor false`);
}
