import { quoteValue } from '../../cli/errors.ts';
import type { Columns } from './columns.ts';
import type { WordReader } from './words.ts';

/** A parsed line. Fields without a column in the file are undefined. */
export interface TicketLine {
  readonly id: string;
  readonly isValid: boolean | undefined;
  readonly entrou: boolean | undefined;
  readonly setor: string | undefined;
}

export const MAX_ID_BYTES = 128;
export const MAX_SECTOR_BYTES = 32;
const MAX_BYTES_PER_UNIT = 3;

/** Excel writes 123456789012 as 1.23E+11, and 700000000000 as 7E+11: digits are lost, and different ids become equal. */
const SHORTENED_NUMBER = /^\d+([.,]\d+)?E\+\d+$/i;

/** Returns a string with the fault of a bad line. `columnCount` is that of the header. */
export function readTicketLine(
  fields: readonly string[],
  columns: Columns,
  columnCount: number,
  words: WordReader,
): TicketLine | string {
  if (!hasColumns(fields, columnCount)) {
    return `it has ${fields.length} columns, and the header ${columnCount}`;
  }
  const id = fields[columns.id] ?? '';
  const setor = columns.setor === undefined ? undefined : (fields[columns.setor] ?? '');
  if (id === '') return 'its id is empty';
  // Another program has replaced a character that it could not read: different ids may have become equal.
  if (id.includes('\uFFFD'))
    return `its id ${quoteValue(id.slice(0, MAX_ID_BYTES))} has lost a character (U+FFFD)`;
  if (SHORTENED_NUMBER.test(id)) {
    return `its id ${quoteValue(id)} is a number that a spreadsheet program has shortened: save that column as text`;
  }
  // The board would count the ticket in no sector.
  if (setor?.trim() === '') return 'its setor is empty';
  const fault = findFault('id', id, MAX_ID_BYTES) ?? findFault('setor', setor ?? '', MAX_SECTOR_BYTES);
  if (fault !== undefined) return fault;
  const isValid =
    columns.isValidTicket === undefined
      ? undefined
      : words.read('isValidTicket', fields[columns.isValidTicket]);
  const entrou = columns.entrou === undefined ? undefined : words.read('entrou', fields[columns.entrou]);
  if (isValid === null) return noBoolean('isValidTicket', fields[columns.isValidTicket ?? 0]);
  if (entrou === null) return noBoolean('entrou', fields[columns.entrou ?? 0]);
  return { id, isValid, entrou, setor };
}

/** Whether the line has `count` columns; empty ones at its end do not count. */
export function hasColumns(fields: readonly string[], count: number): boolean {
  return fields.length >= count && fields.slice(count).every((field) => field === '');
}

function findFault(name: string, text: string, longest: number): string | undefined {
  if (text.length * MAX_BYTES_PER_UNIT > longest && Buffer.byteLength(text) > longest) {
    return `its ${name} is longer than ${longest} bytes`;
  }
  return text.includes('\0') ? `its ${name} holds a NUL, which PostgreSQL cannot store` : undefined;
}

function noBoolean(name: string, text = ''): string {
  return `its ${name} is ${quoteValue(text.slice(0, 20))} instead of true or false (or 1/0, sim/não, s/n, verdadeiro/falso)`;
}
