import { CsvError, parse } from 'csv-parse/sync';
import { GatesError } from '../errors.ts';
import { assertComplete, findColumns, type ColumnNames, type Columns, type FoundColumns } from './columns.ts';

/** How a file writes its lines, and where they begin. */
export interface Dialect {
  readonly delimiter: string;
  readonly lineEnds: readonly string[];
  readonly header: readonly string[];
  readonly columns: Columns;
  /** How much of the text the header took, with what stands before it. */
  readonly headBytes: number;
  readonly headLines: number;
}

const DELIMITERS = [',', ';', '\t'] as const;
const NAMES: Readonly<Record<string, string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' };
/** Excel's own line before the header. */
const SEPARATOR_LINE = /^"?sep=([^"])"? *$/i;

export function nameOfDelimiter(delimiter: string): string {
  return NAMES[delimiter] ?? `"${delimiter}"`;
}

/**
 * Only the header decides: what stands in the lines below it may hold any delimiter. Undefined: `head` ends before the
 * header does.
 *
 * @throws GatesError that says what the header lacks.
 */
export function readDialect(head: Buffer, isWhole: boolean, names: ColumnNames): Dialect | undefined {
  let position = 0;
  let headLines = 0;
  let delimiters: readonly string[] = DELIMITERS;
  for (;;) {
    const end = findLineEnd(head, position, isWhole);
    if (!end) return undefined;
    const text = head.subarray(position, end.at).toString();
    headLines += Math.max(1, text.split('\n').length);
    position = end.next;
    const isFirst = delimiters === DELIMITERS;
    const [, separator] = (isFirst && SEPARATOR_LINE.exec(text)) || [];
    if (separator !== undefined) {
      delimiters = [separator];
      continue;
    }
    if (text.trim() === '' && position < head.length) continue;
    const { delimiter, header, found } = chooseDelimiter(text, delimiters, names);
    const columns = assertComplete(found, header, names, nameOfDelimiter(delimiter));
    return { delimiter, lineEnds: end.lineEnds, header, columns, headBytes: position, headLines };
  }
}

interface Candidate {
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly found: FoundColumns;
}

/** The one with which most fields have a column; of several, that with most columns. */
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

/** Undefined where quotes do not stand as they do around values between such delimiters. */
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
  readonly lineEnds: readonly string[];
}

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d];
/** Either, in any line: one that was found out from the first would leave the other in the values. */
const MODERN_LINE_ENDS = ['\r\n', '\n'];
/** Of the Macs of old. */
const CR_ONLY = ['\r'];

/** The first end of a line from `start` on that is not within quotes. */
function findLineEnd(head: Buffer, start: number, isWhole: boolean): LineEnd | undefined {
  let isQuoted = false;
  for (let at = start; at < head.length; at++) {
    const byte = head[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (byte === LF) return { at, next: at + 1, lineEnds: MODERN_LINE_ENDS };
    if (byte !== CR) continue;
    if (at + 1 === head.length && !isWhole) return undefined;
    if (head[at + 1] === LF) return { at, next: at + 2, lineEnds: MODERN_LINE_ENDS };
    return { at, next: at + 1, lineEnds: CR_ONLY };
  }
  if (!isWhole) return undefined;
  if (isQuoted) throw new GatesError('Line 1 is bad: a quote is opened in the header, and not closed.');
  return { at: head.length, next: head.length, lineEnds: MODERN_LINE_ENDS };
}
