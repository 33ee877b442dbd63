import { addAbortSignal, type Readable } from 'node:stream';
import { GatesError } from '../../cli/errors.ts';
import { BadLines } from './bad-lines.ts';
import type { WantedColumns } from './columns.ts';
import { readDialect, type Dialect } from './dialect.ts';
import { decodeText, type DecodedText, type Encoding } from './encoding.ts';
import { type CsvRecord, RecordReader } from './record-reader.ts';
import { readTicketLine, type TicketLine } from './ticket-line.ts';
import { unreadable, type TicketFile } from './ticket-file.ts';
import { type GivenWords, WordReader } from './words.ts';

/** A longer header has a quote that is not closed. */
const MAX_HEADER_BYTES = 65_536;
const TICKETS_AT_ONCE = 2_000;

export interface IncomingTicket extends TicketLine {
  readonly line: number;
  /** The unparsed line. */
  readonly text: string;
}

export interface ReadOptions {
  readonly columns: WantedColumns;
  readonly words: GivenWords;
  /** Undefined lets the bytes decide. */
  readonly encoding: Encoding | undefined;
  /** Whether the text of every bad line is kept. */
  readonly keepsBadLines: boolean;
}

/** A file of tickets whose header was read. */
export interface TicketReader {
  readonly dialect: Dialect;
  readonly text: DecodedText;
  readonly badLines: BadLines;
  /**
   * Passes all good lines to `store`, in batches, and collects the bad ones.
   *
   * @throws GatesError where the file cannot be read, and what `store` throws.
   */
  readAll(store: (tickets: AsyncIterable<readonly IncomingTicket[]>) => Promise<void>): Promise<void>;
}

/** @throws GatesError where the file cannot be read, or its header is not that of tickets. */
export async function openTickets(
  file: TicketFile,
  { columns, words, encoding, keepsBadLines }: ReadOptions,
  stop: AbortSignal,
): Promise<TicketReader> {
  addAbortSignal(stop, file.bytes);
  const text = await decodeText(readBytes(file), encoding);
  const chunks = text.chunks[Symbol.asyncIterator]();
  let beginning = Buffer.alloc(0);
  let dialect: Dialect | undefined;
  while (!dialect) {
    const next = await chunks.next();
    if (next.done !== true) beginning = Buffer.concat([beginning, next.value]);
    else if (beginning.length === 0)
      throw new GatesError('Line 1 is bad: the file is empty, without a header.');
    dialect = readDialect(beginning, next.done === true, columns);
    if (!dialect && beginning.length > MAX_HEADER_BYTES) {
      throw new GatesError('Line 1 is bad: the header does not end (a quote that is not closed?).');
    }
  }
  const reader = new WordReader(words);
  const { columns: found, header } = dialect;
  const badLines = new BadLines(keepsBadLines, () => reader.describeUnknown({ columns: found, header }));
  const records = readRecords(dialect, beginning.subarray(dialect.head.length), {
    [Symbol.asyncIterator]: () => chunks,
  });
  const tickets = readTickets(records, dialect, reader, badLines);
  return {
    dialect,
    text,
    badLines,
    async readAll(store) {
      try {
        await store(tickets);
      } finally {
        // A silent pipe would keep the process alive.
        file.bytes.destroy();
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

/** Yields the records of each chunk. */
async function* readRecords(
  dialect: Dialect,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Iterable<CsvRecord>> {
  const reader = new RecordReader(dialect);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  yield reader.read(decoder.decode(first, { stream: true }));
  for await (const chunk of rest) yield reader.read(decoder.decode(chunk, { stream: true }));
  yield reader.end();
}

async function* readTickets(
  records: AsyncIterable<Iterable<CsvRecord>>,
  { columns, header, delimiter }: Dialect,
  words: WordReader,
  badLines: BadLines,
): AsyncGenerator<readonly IncomingTicket[]> {
  let batch: IncomingTicket[] = [];
  for await (const some of records) {
    for (const { line, text, fields } of some) {
      const ticket =
        typeof fields === 'string' ? fields : readTicketLine(fields, columns, header.length, words);
      if (typeof ticket !== 'string') batch.push({ ...ticket, line, text });
      else if (typeof fields === 'string') badLines.add({ line, text, cause: ticket });
      // Excel leaves lines without a value where something was deleted.
      else if (fields.some((field) => field !== '')) {
        // What is written behind the line stands in a column of its own.
        const missing = Math.max(0, header.length - fields.length);
        badLines.add({ line, text: `${text}${delimiter.repeat(missing)}`, cause: ticket });
      }
    }
    if (batch.length < TICKETS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
