import { CsvError, parse } from 'csv-parse/sync';
import { GatesError } from '../../cli/errors.ts';
import {
  assertComplete,
  findColumns,
  type ColumnNames,
  type Columns,
  type FoundColumns,
  type WantedColumns,
} from './columns.ts';
import { DELIMITERS } from './delimiter.ts';
import { findValue, noHeader } from './no-header.ts';

export interface Dialect {
  readonly delimiter: string;
  /** CR alone in files of old Macs; else LF, with or without a CR before it. */
  readonly lineEnd: '\n' | '\r';
  /** Has one empty name where the file has no header. */
  readonly header: readonly string[];
  readonly columns: Columns;
  /** The bytes up to the end of the header line. */
  readonly head: Buffer;
  readonly headLines: number;
}

const ONLY_IDS: Columns = { id: 0, isValidTicket: undefined, entrou: undefined, setor: undefined };
/** Programs write the title of a report, its date and an empty line above the header. */
const MAX_TITLE_LINES = 20;
/** Excel writes such a line before the header. */
const SEPARATOR_LINE = /^"?sep=([^"])"? *$/i;

/**
 * Finds the dialect from the header alone, since the lines below it may contain any delimiter. Returns undefined if `head`
 * ends before the header does.
 *
 * @throws GatesError that names what the header lacks.
 */
export function readDialect(head: Buffer, isWhole: boolean, wanted: WantedColumns): Dialect | undefined {
  let position = 0;
  let headLines = 0;
  let delimiters: readonly string[] = DELIMITERS;
  for (;;) {
    const end = findLineEnd(head, position, isWhole);
    if (!end) return undefined;
    const text = head.subarray(position, end.at).toString();
    const before = { head: head.subarray(0, position), headLines };
    headLines += Math.max(1, text.split('\n').length);
    position = end.next;
    const isFirst = delimiters === DELIMITERS;
    const [, separator] = (isFirst && SEPARATOR_LINE.exec(text)) || [];
    if (separator !== undefined) {
      delimiters = [separator];
      continue;
    }
    if (text.trim() === '' && position < head.length) continue;
    let header: Header;
    try {
      header = readHeader(text, delimiters, wanted);
    } catch (error) {
      const line = lineOfHeader(head, position, headLines, wanted);
      if (line === undefined) throw error;
      throw new GatesError(
        `Line 1 is bad: it is no header, and line ${line} is one: remove the lines above that.`,
      );
    }
    const isList = header.columns === ONLY_IDS;
    const after = { head: head.subarray(0, position), headLines };
    return { ...header, lineEnd: end.lineEnd, ...(isList ? before : after) };
  }
}

type Header = Pick<Dialect, 'delimiter' | 'header' | 'columns'>;

/** @throws GatesError that names what the header lacks. */
function readHeader(text: string, delimiters: readonly string[], wanted: WantedColumns): Header {
  const { delimiter, header, found } = chooseDelimiter(text, delimiters, wanted.names);
  if (wanted.idsAlone === true && header.length === 1 && found.found.id === undefined) {
    return { delimiter, header: [''], columns: ONLY_IDS };
  }
  const value = findValue(header, found, wanted);
  if (value !== undefined) throw noHeader({ header, delimiter }, wanted, value);
  const all = assertComplete(found, header, wanted, delimiter);
  return { delimiter, header, columns: wanted.idsAlone === true ? { ...ONLY_IDS, id: all.id } : all };
}

/** Returns the number of the line below that is a header, as where a title stands above it. */
function lineOfHeader(
  head: Buffer,
  position: number,
  linesBefore: number,
  wanted: WantedColumns,
): number | undefined {
  const lines = head
    .subarray(position)
    .toString()
    .split(/\r\n|\n|\r/, MAX_TITLE_LINES);
  const index = lines.findIndex((text) => {
    try {
      return readHeader(text, DELIMITERS, { ...wanted, idsAlone: false }) !== undefined;
    } catch (error) {
      if (error instanceof GatesError) return false;
      throw error;
    }
  });
  return index === -1 ? undefined : linesBefore + 1 + index;
}

interface Candidate {
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly found: FoundColumns;
}

/** Chooses the delimiter that gives most fields a column, then the one that gives most columns. */
function chooseDelimiter(text: string, delimiters: readonly string[], names: ColumnNames): Candidate {
  const candidates = delimiters.flatMap((delimiter): Candidate[] => {
    const header = splitHeader(text, delimiter);
    return header ? [{ delimiter, header, found: findColumns(header, names) }] : [];
  });
  const fields = ({ found }: Candidate): number => Object.keys(found.found).length + found.unsure.length;
  const [best] = candidates.toSorted((a, b) => fields(b) - fields(a) || b.header.length - a.header.length);
  if (best) return best;
  throw new GatesError(
    'Line 1 is bad: a name in the header has a quote inside it, or goes on after its closing quote.',
  );
}

/** Returns undefined where the quotes do not fit this delimiter. */
function splitHeader(text: string, delimiter: string): string[] | undefined {
  try {
    return parse(text, { delimiter, trim: true, record_delimiter: '\0' })[0] ?? [];
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

interface LineEnd {
  readonly at: number;
  readonly next: number;
  readonly lineEnd: Dialect['lineEnd'];
}

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];

/** Finds the first line end from `start` on that is not within quotes. */
function findLineEnd(head: Buffer, start: number, isWhole: boolean): LineEnd | undefined {
  let isQuoted = false;
  for (let at = start; at < head.length; at++) {
    const byte = head[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (byte === LF) return { at, next: at + 1, lineEnd: '\n' };
    if (byte !== CR) continue;
    if (at + 1 === head.length && !isWhole) return undefined;
    if (head[at + 1] === LF) return { at, next: at + 2, lineEnd: '\n' };
    return { at, next: at + 1, lineEnd: '\r' };
  }
  if (!isWhole) return undefined;
  if (isQuoted) throw new GatesError('Line 1 is bad: a quote is opened in the header, and not closed.');
  return { at: head.length, next: head.length, lineEnd: '\n' };
}
