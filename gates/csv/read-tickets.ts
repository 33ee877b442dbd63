import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse, type InfoRecord, type Options } from 'csv-parse';
import { errorMessage, GatesError } from '../errors.ts';
import { BadLines } from './bad-lines.ts';
import type { ColumnNames } from './columns.ts';
import { readDialect, type Dialect } from './dialect.ts';
import { decodeText, type DecodedText, type Encoding } from './encoding.ts';
import { readTicketLine, type TicketLine } from './ticket-line.ts';
import { unreadable, type TicketFile } from './ticket-file.ts';

/** What is longer is a quote that is not closed; it bounds what that makes the parser hold. */
const MAX_RECORD_LENGTH = 65_536;
const TICKETS_AT_ONCE = 2_000;

export interface IncomingTicket extends TicketLine {
  readonly line: number;
}

/** What was said about a file, or found out from its header. */
export interface ReadOptions {
  readonly columns: ColumnNames;
  readonly encoding: Encoding | undefined;
}

/** A file of tickets whose header was read. */
export interface TicketReader {
  readonly dialect: Dialect;
  /** What was found so far. */
  readonly text: DecodedText;
  readonly badLines: BadLines;
  /**
   * Hands all good lines to `store`, many at a time, and collects the bad ones.
   *
   * @throws GatesError where the file cannot be read on, with the bad lines if one of them is why; whatever `store` throws.
   */
  readAll(store: (tickets: AsyncIterable<readonly IncomingTicket[]>) => Promise<void>): Promise<void>;
}

/** @throws GatesError where the file cannot be read, or its header is not that of tickets. */
export async function openTickets(
  file: TicketFile,
  { columns, encoding }: ReadOptions,
  stop: AbortSignal,
): Promise<TicketReader> {
  addAbortSignal(stop, file.bytes);
  const text = await decodeText(readBytes(file), encoding);
  const pieces = text.pieces[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let dialect: Dialect | undefined;
  while (!dialect) {
    const next = await pieces.next();
    if (next.done !== true) head = Buffer.concat([head, next.value]);
    else if (head.length === 0) throw new GatesError('Line 1 is bad: the file is empty, without a header.');
    dialect = readDialect(head, next.done === true, columns);
    if (!dialect && head.length > MAX_RECORD_LENGTH) {
      throw new GatesError('Line 1 is bad: the header does not end (a quote that is not closed?).');
    }
  }
  const badLines = new BadLines();
  const rest: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => pieces };
  const { headBytes } = dialect;
  const lines = new LineReader(dialect, badLines);
  return {
    dialect,
    text,
    badLines,
    async readAll(store) {
      let storing: Promise<void> | undefined;
      // A pipe that is silent would else hold up the end.
      lines.parser.once('close', () => file.bytes.destroy());
      try {
        await pipeline(
          async function* body(): AsyncGenerator<Buffer> {
            yield head.subarray(headBytes);
            yield* rest;
          },
          lines.parser,
          (batches: AsyncIterable<readonly IncomingTicket[]>) => (storing = store(lines.withLast(batches))),
          { signal: stop },
        );
      } catch (error) {
        // The pipeline does not wait for it, and the connection takes no other statement until it has ended.
        await storing?.catch(() => {});
        throw error === lines.failure ? badLines.toError() : error;
      }
    },
  };
}

async function* readBytes({ bytes, path }: TicketFile): AsyncGenerator<Buffer> {
  try {
    yield* bytes as Readable & AsyncIterable<Buffer>;
  } catch (error) {
    throw bytes.errored?.name === 'AbortError' ? error : unreadable(path, error);
  }
}

/** Lines → tickets, in the parser: nothing but whole batches goes through its stream. */
class LineReader {
  readonly parser;
  /** Why no line after the last can be read. */
  failure: unknown;
  readonly #badLines: BadLines;
  readonly #dialect: Dialect;
  #batch: IncomingTicket[] = [];
  #lastLine: number;
  /** To be added to the parser's numbers, which count from its first byte, and CRLF within quotes twice. */
  #offset: number;

  constructor(dialect: Dialect, badLines: BadLines) {
    this.#dialect = dialect;
    this.#badLines = badLines;
    this.#offset = dialect.headLines;
    this.#lastLine = dialect.headLines;
    this.parser = parse({
      delimiter: dialect.delimiter,
      record_delimiter: [...dialect.lineEnds],
      // Around values that are not quoted, or around their quotes.
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      max_record_size: MAX_RECORD_LENGTH,
      on_record: this.#onRecord as unknown as NonNullable<Options['on_record']>,
      skip_records_with_error: true,
      on_skip: this.#onFault as NonNullable<Options['on_skip']>,
    });
  }

  async *withLast(
    batches: AsyncIterable<readonly IncomingTicket[]>,
  ): AsyncGenerator<readonly IncomingTicket[]> {
    yield* batches;
    yield this.#batch;
  }

  readonly #onRecord = (fields: readonly string[], { lines }: InfoRecord): IncomingTicket[] | null => {
    const line = this.#numberOf(lines, fields);
    const { columns, header } = this.#dialect;
    const ticket = readTicketLine(fields, columns, header.length);
    if (typeof ticket === 'string') {
      // Excel leaves such lines where something was deleted.
      if (fields.some((field) => field !== '')) this.#badLines.add(line, ticket);
      return null;
    }
    this.#batch.push({ ...ticket, line });
    if (this.#batch.length < TICKETS_AT_ONCE) return null;
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  };

  #numberOf(parserLine: number, fields: readonly string[]): number {
    const line = parserLine + this.#offset;
    if (line > this.#lastLine + 1) {
      const twice = fields.reduce((sum, field) => sum + field.split('\r\n').length - 1, 0);
      this.#offset -= twice;
      this.#lastLine = line - twice;
    } else {
      this.#lastLine = line;
    }
    return this.#lastLine;
  }

  readonly #onFault = (error: CsvError): void => {
    const line = Number(error['lines'] ?? 0) + this.#offset;
    const openLine = this.#lastLine + 1;
    switch (error.code) {
      case 'INVALID_OPENING_QUOTE':
        // The only fault after which the parser finds the next line.
        if (line > this.#lastLine) {
          this.#badLines.add(line, 'a quote stands inside a value that does not begin with one');
        }
        this.#lastLine = line;
        return;
      case 'CSV_MAX_RECORD_SIZE':
        this.#badLines.add(
          openLine,
          `it is longer than ${MAX_RECORD_LENGTH} characters (a quote that is not closed?)`,
        );
        break;
      case 'CSV_QUOTE_NOT_CLOSED':
        this.#badLines.add(openLine, 'a quote is opened and not closed');
        break;
      case 'CSV_INVALID_CLOSING_QUOTE':
      case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
        this.#badLines.add(
          line,
          'a quoted value goes on after its closing quote (a quote in it is written twice)',
        );
        break;
      default:
        this.#badLines.add(line, errorMessage(error));
    }
    this.#badLines.endReading();
    this.failure = error;
    throw error;
  };
}
