import type postgres from 'postgres';
import type { WantedColumns } from '../csv/columns.ts';
import type { Dialect } from '../csv/dialect.ts';
import { noHeader } from '../csv/no-header.ts';
import type { IncomingTicket, TicketReader } from '../csv/read-tickets.ts';
import type { TicketFile } from '../csv/ticket-file.ts';
import { copyIn } from '../copy-in.ts';
import { quoteValue } from '../../cli/errors.ts';
import { Progress } from '../../cli/progress.ts';

export interface Staged {
  /** Counts distinct tickets. */
  readonly tickets: number;
  /** Counts lines that repeat a ticket with the same values. */
  readonly repeated: number;
}

/**
 * Reads all good lines into `incoming`, a temporary table that lasts as long as the session. Fields without a column are
 * null. Bad lines are left to the reader's `badLines`; those of contradictory ids have their text with `keepsText` only.
 */
export async function stageTickets(
  sql: postgres.Sql,
  reader: TicketReader,
  file: TicketFile,
  keepsText: boolean,
): Promise<Staged> {
  await createIncoming(sql);
  const progress = new Progress();
  let lines = 0;
  async function* copyRows(batches: AsyncIterable<readonly IncomingTicket[]>): AsyncGenerator<Buffer> {
    for await (const tickets of batches) {
      let rows = '';
      for (const ticket of tickets) rows += copyRow(ticket, keepsText);
      lines += tickets.length;
      yield Buffer.from(rows);
      progress.show(() => {
        const percent = file.readPercent();
        return `${countLines(lines)} read${percent === undefined ? '' : ` (${percent} %)`}`;
      });
    }
  }
  try {
    await reader.readAll((batches) => copyIn(sql, 'copy incoming from stdin', copyRows(batches)));
  } finally {
    progress.end();
  }
  await sql`analyze incoming`;
  const { repeated, contradictory } = await settleRepeated(sql, reader);
  return { tickets: lines - repeated - contradictory, repeated };
}

export async function createIncoming(sql: postgres.Sql): Promise<void> {
  await sql`create temporary table incoming (
    line integer, id text, is_valid_ticket boolean, entrou boolean, setor text, text text
  )`;
}

/** @throws GatesError where the name that --column gave for the id is a ticket of the event, or that for the sector is one of the file's */
export async function assertHeader(
  sql: postgres.Sql,
  eventId: string,
  dialect: Dialect,
  wanted: WantedColumns,
): Promise<void> {
  const { header, columns } = dialect;
  const id = wanted.names.id === undefined ? undefined : header[columns.id];
  const setor = wanted.names.setor === undefined ? undefined : header[columns.setor ?? -1];
  const [value] = await sql<{ value: string; because: string }[]>`
    select id as value, 'is a ticket of the event' as because
      from public.tickets where event_id = ${eventId} and id = ${id ?? null}
    union all
    (select setor, 'is a sector of the lines below' from incoming where setor = ${setor ?? null} limit 1)`;
  if (value) throw noHeader(dialect, wanted, `${quoteValue(value.value)} ${value.because}`);
}

/** Keeps the first line of an id whose lines agree. Lines that contradict each other become bad lines. */
async function settleRepeated(
  sql: postgres.Sql,
  { badLines }: TicketReader,
): Promise<{ readonly repeated: number; readonly contradictory: number }> {
  const { count } = await sql`
    create temporary table repeated as
    select id, min(line) as first, count(distinct (is_valid_ticket, entrou, setor)) > 1 as contradicts
    from incoming group by id having count(*) > 1`;
  if (count === 0) return { repeated: 0, contradictory: 0 };
  const rows = await sql<{ id: string; line: number; text: string | null; other: number }[]>`
    with gone as (
      delete from incoming i using repeated r where i.id = r.id and r.contradicts
      returning i.*
    )
    select id, line, text, (
      select min(o.line) from gone o where o.id = gone.id
        and (o.is_valid_ticket, o.entrou, o.setor) is distinct from (gone.is_valid_ticket, gone.entrou, gone.setor)
    ) as other
    from gone`;
  for (const { id, line, text, other } of rows) {
    const cause = `the id ${quoteValue(id)} has other values in line ${other}`;
    badLines.add({ line, text: text ?? '', cause });
  }
  const { count: repeated } = await sql`
    delete from incoming i using repeated r where i.id = r.id and i.line > r.first`;
  return { repeated, contradictory: rows.length };
}

/** Formats a row for COPY. */
function copyRow({ line, id, isValid, entrou, setor, text }: IncomingTicket, withText: boolean): string {
  const sector = setor === undefined ? '\\N' : escapeForCopy(setor);
  return `${line}\t${escapeForCopy(id)}\t${isValid ?? '\\N'}\t${entrou ?? '\\N'}\t${sector}\t${withText ? escapeForCopy(text) : '\\N'}\n`;
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

export function countLines(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}
