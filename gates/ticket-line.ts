import { isUtf8 } from 'node:buffer';
import { isSectorCode } from '../domain/sector.ts';
import { quoteValue } from './errors.ts';

export const HEADER = ['id', 'isValidTicket', 'entrou', 'setor'] as const;

/** A line that was read; `copyRow` is the same in the text format of COPY, with the line's number before it. */
export interface TicketLine {
  readonly copyRow: string;
  readonly isKnownSector: boolean;
}

const LONGEST_ID_BYTES = 128;
const LONGEST_SECTOR_BYTES = 32;

/** @throws Error that says what is wrong with the line. */
export function readTicketLine(fields: readonly Buffer[], line: number): TicketLine {
  const [idBytes, validBytes, enteredBytes, sectorBytes] = fields;
  if (fields.length !== HEADER.length || !idBytes || !validBytes || !enteredBytes || !sectorBytes) {
    throw new Error(`it has ${fields.length} columns instead of ${HEADER.length}`);
  }
  const id = readText('id', idBytes, LONGEST_ID_BYTES);
  if (id === '') throw new Error('its id is empty');
  const sector = readText('setor', sectorBytes, LONGEST_SECTOR_BYTES);
  const isValid = readBoolean('isValidTicket', validBytes);
  const hasEntered = readBoolean('entrou', enteredBytes);
  return {
    copyRow: `${line}\t${escape(id)}\t${isValid}\t${hasEntered}\t${escape(sector)}\n`,
    isKnownSector: isSectorCode(sector),
  };
}

function readText(name: string, bytes: Buffer, longest: number): string {
  if (bytes.length > longest) throw new Error(`its ${name} is longer than ${longest} bytes`);
  if (!isUtf8(bytes)) throw new Error(`its ${name} is not UTF-8`);
  if (bytes.includes(0)) throw new Error(`its ${name} holds a NUL, which PostgreSQL cannot store`);
  return bytes.toString();
}

function readBoolean(name: string, bytes: Buffer): 't' | 'f' {
  const text = bytes.toString();
  if (text === 'true' || text === '1') return 't';
  if (text === 'false' || text === '0') return 'f';
  throw new Error(`its ${name} is ${quoteValue(text.slice(0, 20))} instead of true or false`);
}

/** COPY's text format: a tab ends a column, a newline a row, and the backslash escapes. */
function escape(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
