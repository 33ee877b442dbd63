import { isUtf8 } from 'node:buffer';
import { quoteValue } from './errors.ts';

export const HEADER = ['id', 'isValidTicket', 'entrou', 'setor'] as const;

export interface TicketLine {
  readonly id: string;
  readonly isValid: boolean;
  readonly entrou: boolean;
  readonly setor: string;
}

export const MAX_ID_BYTES = 128;
export const MAX_SECTOR_BYTES = 32;

/** @throws Error that says what is wrong with the line. */
export function readTicketLine(fields: readonly Buffer[]): TicketLine {
  const [idBytes, validBytes, enteredBytes, sectorBytes] = fields;
  if (fields.length !== HEADER.length || !idBytes || !validBytes || !enteredBytes || !sectorBytes) {
    throw new Error(`it has ${fields.length} columns instead of ${HEADER.length}`);
  }
  const id = readText('id', idBytes, MAX_ID_BYTES);
  if (id === '') throw new Error('its id is empty');
  return {
    id,
    isValid: readBoolean('isValidTicket', validBytes),
    entrou: readBoolean('entrou', enteredBytes),
    setor: readText('setor', sectorBytes, MAX_SECTOR_BYTES),
  };
}

function readText(name: string, bytes: Buffer, longest: number): string {
  if (bytes.length > longest) throw new Error(`its ${name} is longer than ${longest} bytes`);
  if (!isUtf8(bytes)) throw new Error(`its ${name} is not UTF-8`);
  if (bytes.includes(0)) throw new Error(`its ${name} holds a NUL, which PostgreSQL cannot store`);
  return bytes.toString();
}

function readBoolean(name: string, bytes: Buffer): boolean {
  const text = bytes.toString();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new Error(`its ${name} is ${quoteValue(text.slice(0, 20))} instead of true or false`);
}
