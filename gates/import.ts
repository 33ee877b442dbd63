import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Transform } from 'node:stream';
import { CsvError, parse, type CastingContext } from 'csv-parse';
import type postgres from 'postgres';
import { readArguments, readEvent, type Command } from './command.ts';
import { errorMessage, GatesError, quoteValue } from './errors.ts';
import { Progress } from './progress.ts';
import { connect, findTarget } from './target.ts';
import { HEADER, readTicketLine } from './ticket-line.ts';

/** No line can be longer and good; it also bounds what an unclosed quote makes the parser hold. */
const LONGEST_RECORD_BYTES = 4_096;
/** UTF-8's byte order mark. The parser would take it off, and decode the fields at that. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const CHUNK_CHARACTERS = 65_536;

/** Adds the tickets of a file, all or none, and changes none that is there. */
export const importTickets: Command = {
  help: `Usage: npm run -s gates -- import FILE.csv [--event ID]

Adds tickets to the event. The file is UTF-8 with the header ${HEADER.join(',')}; isValidTicket and entrou are
true, false, 1 or 0. A bad line stops the import: its number is said and nothing is imported. Tickets that are there
already are never changed, so that importing again undoes no admission; how many differ is said at the end.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(args, { event: { type: 'string' } }, ['FILE.csv']);
    const eventId = readEvent(values.event, env);
    const file = await openFile(positionals[0] ?? '');
    try {
      const sql = connect(await findTarget(env));
      try {
        await sql.begin((transaction) => importFile(transaction, file, eventId));
      } finally {
        await sql.end({ timeout: 5 });
      }
    } finally {
      await file.handle.close();
    }
    return 0;
  },
};

interface OpenFile {
  readonly path: string;
  readonly handle: Awaited<ReturnType<typeof open>>;
  /** After the byte order mark, if there is one. */
  readonly start: number;
  readonly bytes: number;
}

async function openFile(path: string): Promise<OpenFile> {
  try {
    const handle = await open(path);
    return { path, handle, start: await lengthOfMark(handle), bytes: (await handle.stat()).size };
  } catch (error) {
    throw new GatesError(`${path} cannot be read: ${errorMessage(error)}.`);
  }
}

async function lengthOfMark(handle: OpenFile['handle']): Promise<number> {
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MARK.length), position: 0 });
  return bytesRead === MARK.length && buffer.equals(MARK) ? MARK.length : 0;
}

async function importFile(sql: postgres.TransactionSql, file: OpenFile, eventId: string): Promise<void> {
  await sql`
    create temporary table arriving (
      line integer, id text, is_valid_ticket boolean, entrou boolean, setor text
    ) on commit drop`;
  const { lines, unknownSectors } = await copyFile(sql, file);
  process.stderr.write(`${lines} lines read; inserting...\n`);
  await sql`analyze arriving`;
  const [twice] = await sql<{ id: string; line: number }[]>`
    select id, (array_agg(line order by line))[2] as line
    from arriving group by id having count(*) > 1 order by line limit 1`;
  if (twice) throw badLine(twice.line, `the id ${quoteValue(twice.id)} was there before`);

  await sql`insert into public.events (id) values (${eventId}) on conflict do nothing`;
  const { count: inserted } = await sql`
    insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${eventId}, id, is_valid_ticket, entrou, setor from arriving order by line
    on conflict do nothing`;
  const [different] = await sql<{ count: number }[]>`
    select count(*)::int as count from arriving a join public.tickets t on t.event_id = ${eventId} and t.id = a.id
    where (t.is_valid_ticket, t.entrou, t.setor) is distinct from (a.is_valid_ticket, a.entrou, a.setor)`;
  const differing = different?.count ?? 0;
  report([
    [inserted, 'inserted'],
    [lines - inserted - differing, 'already there, the same'],
    [differing, 'already there, different: not changed'],
  ]);
  if (unknownSectors > 0) {
    process.stderr.write(
      `${unknownSectors} name a sector that the board does not know: they count in its total only.\n`,
    );
  }
}

async function copyFile(
  sql: postgres.TransactionSql,
  file: OpenFile,
): Promise<{ lines: number; unknownSectors: number }> {
  const source = createReadStream(file.path, { fd: file.handle, autoClose: false, start: file.start });
  // Fields as bytes: a decoder would put replacement characters where the file is not UTF-8.
  const parser = parse({
    encoding: null,
    // Either, in any line: a delimiter that is found out from the first would leave the other in the values.
    record_delimiter: ['\r\n', '\n'],
    info: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD_BYTES,
  });
  const progress = new Progress();
  let lines = 0;
  let unknownSectors = 0;
  let isHeader = true;
  let lastLine = 0;
  let chunk = '';
  const rows = new Transform({
    writableObjectMode: true,
    transform({ record, info }: { record: Buffer[]; info: CastingContext }, _encoding, done) {
      lastLine = info.lines;
      if (isHeader) {
        isHeader = false;
        done(isExactHeader(record) ? undefined : badLine(1, `the header must be ${HEADER.join(',')}`));
        return;
      }
      try {
        const ticket = readTicketLine(record, info.lines);
        chunk += ticket.copyRow;
        lines += 1;
        if (!ticket.isKnownSector) unknownSectors += 1;
      } catch (error) {
        done(badLine(info.lines, errorMessage(error)));
        return;
      }
      if (chunk.length < CHUNK_CHARACTERS) {
        done();
        return;
      }
      progress.show(() => `${lines} lines read (${Math.floor((100 * source.bytesRead) / file.bytes)} %)`);
      const full = chunk;
      chunk = '';
      done(undefined, full);
    },
    flush(done) {
      done(isHeader ? badLine(1, `the header must be ${HEADER.join(',')}`) : undefined, chunk);
    },
  });
  try {
    const copy = await sql`copy arriving (line, id, is_valid_ticket, entrou, setor) from stdin`.writable();
    await pipeline(source, parser, rows, copy);
  } catch (error) {
    throw explainCsv(error, lastLine + 1);
  } finally {
    progress.end();
  }
  return { lines, unknownSectors };
}

function isExactHeader(record: readonly Buffer[]): boolean {
  return record.length === HEADER.length && HEADER.every((name, index) => record[index]?.toString() === name);
}

/** `openLine`: where the record begins that could not be read to its end. */
function explainCsv(error: unknown, openLine: number): unknown {
  if (!(error instanceof CsvError)) return error;
  const line = Number(error['lines'] ?? 0);
  switch (error.code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return badLine(line, `it has not ${HEADER.length} columns`);
    case 'CSV_MAX_RECORD_SIZE':
      return badLine(
        openLine,
        `it is longer than ${LONGEST_RECORD_BYTES} bytes (a quote that is not closed?)`,
      );
    case 'CSV_QUOTE_NOT_CLOSED':
      return badLine(openLine, 'a quote is opened and not closed');
    case 'INVALID_OPENING_QUOTE':
      return badLine(line, 'a quote stands inside a value that does not begin with one');
    case 'CSV_INVALID_CLOSING_QUOTE':
      return badLine(line, 'a quoted value goes on after its closing quote (a quote in it is written twice)');
    default:
      return badLine(line, errorMessage(error));
  }
}

function badLine(line: number, problem: string): GatesError {
  return new GatesError(`Line ${line} is bad: ${problem}. Nothing was imported.`);
}

function report(rows: readonly (readonly [number, string])[]): void {
  for (const [count, what] of rows) process.stdout.write(`${count} ${what}\n`);
}
