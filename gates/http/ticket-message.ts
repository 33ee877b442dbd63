import { isUtf8 } from 'node:buffer';
import { quoteValue } from '../cli/errors.ts';
import { MAX_ID_BYTES, MAX_SECTOR_BYTES } from '../import/csv/ticket-line.ts';
import { readSentAt } from './sent-at.ts';

/** What somebody says of a ticket: only what is there is to be changed. */
export interface TicketMessage {
  readonly id: string;
  readonly isValid: boolean | undefined;
  readonly entrou: boolean | undefined;
  readonly setor: string | undefined;
  /** Where it was read; undefined: the message does not say. */
  readonly gate: string | undefined;
  /** When it was so, as text whose order is that of time (sent-at.ts). */
  readonly at: string | undefined;
  /** How long ago that was when the message was read, by our clock; negative: `at` is ahead of it. Without `at`: 0. */
  readonly ageMs: number;
}

export const MAX_GATE_BYTES = 64;

const FIELDS: readonly string[] = ['id', 'isValidTicket', 'entrou', 'setor', 'gate', 'at'];

/** One message, as JSON. @throws Error that says what is wrong with it; a BadTime where that is its time. */
export function readTicketMessage(bytes: Buffer, nowMs: number): TicketMessage {
  const fields = readObject(bytes);
  const id = readText('id', fields['id'], MAX_ID_BYTES);
  if (id === undefined) throw new Error('it has no id');
  if (id === '') throw new Error('its id is empty');
  const isValid = readBoolean('isValidTicket', fields['isValidTicket']);
  const entrou = readBoolean('entrou', fields['entrou']);
  const setor = readText('setor', fields['setor'], MAX_SECTOR_BYTES);
  if (isValid === undefined && entrou === undefined && setor === undefined) {
    throw new Error('it says nothing of the ticket: entrou, isValidTicket and setor are all missing');
  }
  const gate = readText('gate', fields['gate'], MAX_GATE_BYTES);
  // Longer than any that is right, and shorter than what would make a long answer.
  const at = readText('at', fields['at'], 64);
  const said = { id, isValid, entrou, setor, gate };
  if (at === undefined) return { ...said, at: undefined, ageMs: 0 };
  const { text, ms } = readSentAt(at);
  return { ...said, at: text, ageMs: nowMs - ms };
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
    const shown = unknown.length > 40 ? `${unknown.slice(0, 40)}…` : unknown;
    throw new Error(`it has a field ${quoteValue(shown)}, which is none of ${FIELDS.join(', ')}`);
  }
  // JSON.parse keeps the last of two: which of them was meant, nobody knows.
  if (countNames(text) !== names.length) throw new Error('it has a field twice');
  return value as Record<string, unknown>;
}

/** How many names stand in the text of an object. */
function countNames(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)) if (colon !== undefined) count += 1;
  return count;
}

/** Undefined for what is absent; programs write null for that, too. */
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
