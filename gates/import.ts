import { pipeline } from 'node:stream/promises';
import { CsvError, parse, type InfoRecord, type Options } from 'csv-parse';
import type postgres from 'postgres';
import { isSectorCode } from '../domain/venue.ts';
import { readArguments, type Command } from './command.ts';
import { copyIn } from './copy-in.ts';
import { errorMessage, GatesError, quoteValue } from './errors.ts';
import { chooseEvent, readEvent, type ChosenEvent } from './event.ts';
import { countSimulated, reserveEvent } from './simulated-id.ts';
import { Progress } from './progress.ts';
import { withSession } from './session.ts';
import { stopSignal } from './stop-signal.ts';
import { findTarget } from './target.ts';
import { openTicketFile, unreadable, stripByteOrderMark, type TicketFile } from './ticket-file.ts';
import { HEADER, readTicketLine, type TicketLine } from './ticket-line.ts';

/** No line can be longer and good; it also bounds what an unclosed quote makes the parser hold. */
const MAX_RECORD_BYTES = 4_096;
const ROWS_AT_ONCE = 2_000;

/** Adds the tickets of a file, all or none, and changes none that is there. */
export const importTickets: Command = {
  help: `Usage: npm run -s gates -- import FILE.csv [--event ID]
       npm run -s gates -- import - [--event ID]        reads standard input

Adds tickets to the event. The file is UTF-8 with the header ${HEADER.join(',')}; isValidTicket and entrou are
true, false, 1 or 0. It is imported as a whole or not at all: a bad line stops it, with its number, and so does Ctrl-C.
Tickets that are there already are never changed, so that importing again undoes no admission; how many differ is said
at the end. An event with simulated tickets takes no others.

  --event ID  into this event (default: EVENT_ID, else the event of the running board)

What was done is said once it is committed. Exit code 1: nothing was imported; 2: a wrong option; 130: Ctrl-C.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(args, { event: { type: 'string' } }, ['FILE.csv']);
    const named = readEvent(values.event, env);
    const file = await openTicketFile(positionals[0] ?? '');
    const stop = stopSignal();
    try {
      const target = await findTarget(env);
      const event = chooseEvent(named, target);
      const imported = await withSession(target, stop, (session) =>
        session.transaction('Nothing was imported.', (sql) => importFile(sql, file, event, stop)),
      );
      report(imported);
    } finally {
      file.bytes.destroy();
    }
    return 0;
  },
};

interface Imported {
  readonly inserted: number;
  readonly same: number;
  readonly different: number;
  readonly unknownSectors: number;
}

async function importFile(
  sql: postgres.Sql,
  file: TicketFile,
  { eventId, name }: ChosenEvent,
  stop: AbortSignal,
): Promise<Imported> {
  if (!(await reserveEvent(sql, eventId, 'real'))) {
    throw new GatesError(`simulate is filling the event ${name}: import into another, or wait.`);
  }
  const { simulated } = await countSimulated(sql, eventId);
  if (simulated > 0) {
    throw new GatesError(
      `The event ${name} has ${simulated} simulated tickets, which would be counted among the real ones. ` +
        '"simulate --remove" deletes them, and nothing else.',
    );
  }
  await sql`
    create temporary table incoming (
      line integer, id text, is_valid_ticket boolean, entrou boolean, setor text
    ) on commit drop`;
  const { lines, unknownSectors } = await readFile(sql, file, stop);
  process.stderr.write(`${lines} lines read; inserting...\n`);
  await sql`analyze incoming`;
  const [twice] = await sql<{ id: string; line: number }[]>`
    select id, (array_agg(line order by line))[2] as line
    from incoming group by id having count(*) > 1 order by line limit 1`;
  if (twice) throw badLine(twice.line, `the id ${quoteValue(twice.id)} was there before`);

  await sql`insert into public.events (id) values (${eventId}) on conflict do nothing`;
  const { count: inserted } = await sql`
    insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${eventId}, id, is_valid_ticket, entrou, setor from incoming order by line
    on conflict do nothing`;
  const [differing] = await sql<[{ count: number }]>`
    select count(*)::int as count from incoming i join public.tickets t on t.event_id = ${eventId} and t.id = i.id
    where (t.is_valid_ticket, t.entrou, t.setor) is distinct from (i.is_valid_ticket, i.entrou, i.setor)`;
  const different = differing.count;
  return { inserted, same: lines - inserted - different, different, unknownSectors };
}

async function readFile(
  sql: postgres.Sql,
  file: TicketFile,
  stop: AbortSignal,
): Promise<{ lines: number; unknownSectors: number }> {
  let lastLine = 0;
  let isHeader = true;
  // In the parser, and not where tickets are stored: what is bad first is told, though more was read behind it.
  const readRecord = (fields: readonly Buffer[], { lines: line }: InfoRecord): IncomingTicket | null => {
    lastLine = line;
    if (!isHeader) return { line, ...readLine(fields, line) };
    isHeader = false;
    if (!isExactHeader(fields)) throw WRONG_HEADER;
    return null;
  };
  const parser = parse({
    // Fields as bytes: a decoder would put replacement characters where the file is not UTF-8.
    encoding: null,
    // Either, in any line: a delimiter that is found out from the first would leave the other in the values.
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_BYTES,
    // The library's types know fields of text only.
    on_record: readRecord as unknown as NonNullable<Options['on_record']>,
  });
  const progress = new Progress();
  let lines = 0;
  let unknownSectors = 0;
  /** Rows of COPY, many in one piece. */
  async function* copyRows(tickets: AsyncIterable<IncomingTicket>): AsyncGenerator<Buffer> {
    let rows: string[] = [];
    for await (const ticket of tickets) {
      rows.push(copyRow(ticket));
      lines += 1;
      if (!isSectorCode(ticket.setor)) unknownSectors += 1;
      if (rows.length < ROWS_AT_ONCE) continue;
      yield Buffer.from(rows.join(''));
      rows = [];
      progress.show(() => {
        const percent = file.readPercent();
        return `${lines} lines read${percent === undefined ? '' : ` (${percent} %)`}`;
      });
    }
    if (isHeader) throw WRONG_HEADER;
    yield Buffer.from(rows.join(''));
  }

  let copying: Promise<void> | undefined;
  const store = (tickets: AsyncIterable<IncomingTicket>): Promise<void> =>
    (copying = copyIn(sql, 'copy incoming from stdin', copyRows(tickets)));
  let readFailure: GatesError | undefined;
  file.bytes.once('error', (error) => {
    // Where another stream has failed, the pipeline passes its error on to this one.
    if (!parser.destroyed) readFailure = unreadable(file.path, error);
  });
  try {
    await pipeline(file.bytes, stripByteOrderMark(), parser, store, { signal: stop });
  } catch (error) {
    // The pipeline does not wait for it, and the connection takes no other statement until it has ended.
    await copying?.catch(() => {});
    throw readFailure ?? explainCsv(error, lastLine + 1);
  } finally {
    progress.end();
  }
  return { lines, unknownSectors };
}

interface IncomingTicket extends TicketLine {
  readonly line: number;
}

function readLine(fields: readonly Buffer[], line: number): TicketLine {
  try {
    return readTicketLine(fields);
  } catch (error) {
    throw badLine(line, errorMessage(error));
  }
}

/** In the text format of COPY. */
function copyRow({ line, id, isValid, entrou, setor }: IncomingTicket): string {
  return `${line}\t${escapeForCopy(id)}\t${isValid}\t${entrou}\t${escapeForCopy(setor)}\n`;
}

const COPY_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function escapeForCopy(text: string): string {
  return text.replaceAll(/[\\\t\n\r]/g, (character) => COPY_ESCAPES[character] ?? character);
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
      return badLine(openLine, `it is longer than ${MAX_RECORD_BYTES} bytes (a quote that is not closed?)`);
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

const WRONG_HEADER = badLine(1, `the header must be ${HEADER.join(',')}`);

function badLine(line: number, problem: string): GatesError {
  return new GatesError(`Line ${line} is bad: ${problem}.`);
}

function report({ inserted, same, different, unknownSectors }: Imported): void {
  process.stdout.write(`${inserted} inserted\n${same} already there, the same\n`);
  process.stdout.write(`${different} already there, different: not changed\n`);
  if (unknownSectors === 0) return;
  process.stderr.write(
    `${unknownSectors} name a sector that the board does not know: they count in its total only.\n`,
  );
}
