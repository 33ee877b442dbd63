import type { EventDetails } from '../../../domain/event-details.ts';
import { isTimeZone } from '../../../domain/time-zone.ts';
import type { Ticket } from '../../../domain/tally.ts';
import { decodeEntry, decodeTime, type Document } from './messages.ts';
import type { ProtobufReader } from './protobuf.ts';

export interface TicketDocument extends Ticket {
  /** A field of the three is missing, or of another type. */
  readonly isMalformed: boolean;
}

/** No code of a venue is longer; what is cut off decides nothing. */
const MAX_CODE_LENGTH = 100;

/**
 * Reads the three fields of a ticket, as queries compare them: `true` is nothing else, and a code is text. What is not
 * there is false, or the code of no sector. All other fields are skipped.
 */
export function readTicket({ fields }: Document): TicketDocument {
  let isValidTicket: boolean | undefined;
  let entrou: boolean | undefined;
  let setor: string | undefined;
  for (const [name, value] of entriesOf(fields)) {
    if (name === 'isValidTicket') isValidTicket = readBoolean(value);
    else if (name === 'entrou') entrou = readBoolean(value);
    else if (name === 'setor') setor = readText(value);
  }
  return {
    isValidTicket: isValidTicket ?? false,
    entrou: entrou ?? false,
    setor: setor?.slice(0, MAX_CODE_LENGTH) ?? '',
    isMalformed: isValidTicket === undefined || entrou === undefined || setor === undefined,
  };
}

/** `undefined`: the document has none of the four fields. */
export function readEventDetails({ fields }: Document): EventDetails | undefined {
  let title: string | undefined;
  let gatesOpenAtMs: number | null = null;
  let kickOffAtMs: number | null = null;
  let timeZone: string | undefined;
  for (const [name, value] of entriesOf(fields)) {
    if (name === 'title') title = readText(value);
    else if (name === 'gates_open_at') gatesOpenAtMs = readInstant(value);
    else if (name === 'kick_off_at') kickOffAtMs = readInstant(value);
    else if (name === 'time_zone') timeZone = readText(value);
  }
  if (title === undefined && gatesOpenAtMs === null && kickOffAtMs === null && timeZone === undefined)
    return undefined;
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : null;
  return { title: title ?? '', gatesOpenAtMs, kickOffAtMs, timeZone: zone };
}

/** A sector's document, as JSON has it. */
export function readFields({ fields }: Document): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...entriesOf(fields)].map(([name, value]) => [name, readValue(value)]));
}

function* entriesOf(fields: readonly Buffer[]): Generator<readonly [name: string, value: ProtobufReader]> {
  for (const field of fields) {
    const { name, value } = decodeEntry(field);
    if (value) yield [name, value];
  }
}

function readBoolean(value: ProtobufReader): boolean | undefined {
  let read: boolean | undefined;
  for (let kind = value.next(); kind !== 0; kind = value.next()) {
    if (kind === 1) read = value.unsigned() !== 0;
    else value.skip();
  }
  return read;
}

function readText(value: ProtobufReader): string | undefined {
  let read: string | undefined;
  for (let kind = value.next(); kind !== 0; kind = value.next()) {
    if (kind === 17) read = value.text();
    else value.skip();
  }
  return read;
}

function readInstant(value: ProtobufReader): number | null {
  let read: number | null = null;
  for (let kind = value.next(); kind !== 0; kind = value.next()) {
    if (kind === 10) read = Math.floor(decodeTime(value.message()) / 1_000);
    else value.skip();
  }
  return read;
}

function readValue(value: ProtobufReader): unknown {
  let read: unknown = null;
  for (let kind = value.next(); kind !== 0; kind = value.next()) {
    if (kind === 1) read = value.unsigned() !== 0;
    else if (kind === 2) read = value.signed();
    else if (kind === 3) read = value.double();
    else if (kind === 5 || kind === 17) read = value.text();
    else if (kind === 6) read = readMap(value.message());
    else if (kind === 8) read = readPoint(value.message());
    else if (kind === 9) read = readArray(value.message());
    else if (kind === 10) read = readTimeText(decodeTime(value.message()));
    else if (kind === 18) read = value.bytes().toString('base64');
    else value.skip();
  }
  return read;
}

function readMap(map: ProtobufReader): unknown {
  const fields: Buffer[] = [];
  for (let field = map.next(); field !== 0; field = map.next()) {
    if (field === 1) fields.push(map.bytes());
    else map.skip();
  }
  return Object.fromEntries([...entriesOf(fields)].map(([name, value]) => [name, readValue(value)]));
}

function readArray(array: ProtobufReader): unknown[] {
  const values: unknown[] = [];
  for (let field = array.next(); field !== 0; field = array.next()) {
    if (field === 1) values.push(readValue(array.message()));
    else array.skip();
  }
  return values;
}

function readPoint(point: ProtobufReader): unknown {
  let [latitude, longitude] = [0, 0];
  for (let field = point.next(); field !== 0; field = point.next()) {
    if (field === 1) latitude = point.double();
    else if (field === 2) longitude = point.double();
    else point.skip();
  }
  return { latitude, longitude };
}

function readTimeText(timeUs: number): string {
  return new Date(Math.floor(timeUs / 1_000)).toISOString();
}
