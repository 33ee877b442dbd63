import { CsvError, parse } from 'csv-parse/sync';
import { errorMessage } from '../../cli/errors.ts';
import type { Dialect } from './dialect.ts';
import { hasColumns } from './ticket-line.ts';

/** One line of a file, or several where a quoted value spans them. */
export interface CsvRecord {
  /** The number of its first line. */
  readonly line: number;
  /** The unparsed text, without the last line end. */
  readonly text: string;
  /** A string is the reason why it has no fields. */
  readonly fields: readonly string[] | string;
}

/** Bounds the text that is buffered while a quote is open. */
const MAX_LENGTH = 65_536;
const TOO_LONG = `it is longer than ${MAX_LENGTH} characters (a quote that is not closed?)`;
const NOT_CLOSED = 'a quote is opened and not closed';

type Fault = 'open' | { readonly cause: string };

/**
 * Splits text into records. A misplaced quote, or one that joins lines into a record with the wrong number of columns,
 * makes only its own line bad: reading continues at the next line.
 */
export class RecordReader {
  readonly #dialect: Pick<Dialect, 'delimiter' | 'lineEnd' | 'header'>;
  /** Complete lines with their ends. The first `#openCount` of them wait for a closing quote. */
  #lines: string[] = [];
  #openCount = 0;
  #openLength = 0;
  /** The beginning of the next line. */
  #begun = '';
  /** Whether the rest of a line that is too long is being dropped. */
  #isDropping = false;
  #lineNumber: number;

  constructor(dialect: Pick<Dialect, 'delimiter' | 'lineEnd' | 'header' | 'headLines'>) {
    this.#dialect = dialect;
    this.#lineNumber = dialect.headLines + 1;
  }

  *read(text: string): Generator<CsvRecord> {
    const { lineEnd } = this.#dialect;
    const all = this.#begun + text;
    let from = 0;
    for (let at = all.indexOf(lineEnd); at >= 0; at = all.indexOf(lineEnd, from)) {
      if (!this.#isDropping) this.#lines.push(all.slice(from, at + 1));
      this.#isDropping = false;
      from = at + 1;
    }
    this.#begun = this.#isDropping ? '' : all.slice(from);
    if (this.#begun.length > MAX_LENGTH) {
      this.#lines.push(this.#begun);
      this.#begun = '';
      this.#isDropping = true;
    }
    yield* this.#takeAll(false);
  }

  *end(): Generator<CsvRecord> {
    if (this.#begun !== '') this.#lines.push(this.#begun);
    this.#begun = '';
    yield* this.#takeAll(true);
  }

  *#takeAll(isLast: boolean): Generator<CsvRecord> {
    let at = 0;
    while (at < this.#lines.length) {
      const record = this.#recordAt(at, isLast);
      if (!record) break;
      at += record.count;
      this.#openCount = 0;
      this.#openLength = 0;
      yield { line: this.#lineNumber, text: record.text, fields: record.fields };
      this.#lineNumber += record.count;
    }
    this.#lines = this.#lines.slice(at);
  }

  /** Returns undefined until the record is complete. */
  #recordAt(
    start: number,
    isLast: boolean,
  ): (Pick<CsvRecord, 'text' | 'fields'> & { readonly count: number }) | undefined {
    const first = this.#lines[start] ?? '';
    const alone = this.#withoutEnd(first);
    const bad = (cause: string) => ({ count: 1, text: alone, fields: cause });
    if (first.length > MAX_LENGTH) return bad(TOO_LONG);
    if (!first.includes('"')) {
      return {
        count: 1,
        text: alone,
        fields: alone.split(this.#dialect.delimiter).map((field) => field.trim()),
      };
    }
    for (let count = this.#openCount + 1; start + count <= this.#lines.length; count++) {
      const line = this.#lines[start + count - 1] ?? '';
      this.#openCount = count;
      this.#openLength += line.length;
      if (this.#openLength > MAX_LENGTH) return bad(NOT_CLOSED);
      // Quotes within a value are doubled, so a line that closes a value has an odd number of quotes.
      if (count > 1 && line.split('"').length % 2 === 1) continue;
      const text = this.#withoutEnd(this.#lines.slice(start, start + count).join(''));
      const fields = this.#split(text);
      if (fields === 'open') continue;
      if ('cause' in fields) return bad(count > 1 ? NOT_CLOSED : fields.cause);
      if (count > 1 && !hasColumns(fields, this.#dialect.header.length)) return bad(NOT_CLOSED);
      return { count, text, fields };
    }
    return isLast ? bad(NOT_CLOSED) : undefined;
  }

  #split(text: string): readonly string[] | Fault {
    const { delimiter, lineEnd } = this.#dialect;
    try {
      // Spaces around unquoted values, or around their quotes, are ignored.
      const records = parse(text, { delimiter, record_delimiter: lineEnd, trim: true });
      return records[0] ?? [];
    } catch (error) {
      return toFault(error);
    }
  }

  #withoutEnd(line: string): string {
    if (!line.endsWith(this.#dialect.lineEnd)) return line;
    return line.slice(0, line.endsWith('\r\n') ? -2 : -1);
  }
}

function toFault(error: unknown): Fault {
  if (!(error instanceof CsvError)) throw error;
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'open';
    case 'INVALID_OPENING_QUOTE':
      return { cause: 'a quote stands inside a value that does not begin with one' };
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return { cause: 'a quoted value goes on after its closing quote (a quote in it is written twice)' };
    default:
      return { cause: errorMessage(error) };
  }
}
