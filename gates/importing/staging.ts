import type postgres from 'postgres';
import type { IncomingTicket, TicketReader } from '../csv/read-tickets.ts';
import type { TicketFile } from '../csv/ticket-file.ts';
import { copyIn } from '../copy-in.ts';
import { quoteValue } from '../errors.ts';
import { Progress } from '../progress.ts';
import type { UnknownSectors } from './unknown-sectors.ts';

/**
 * Reads all lines into `incoming`, a temporary table that ends with the session. Where the file has no column for them,
 * is_valid_ticket and entrou are null. Returns how many lines were read.
 *
 * @throws GatesError with the bad lines, if there are any.
 */
export async function stageTickets(
  sql: postgres.Sql,
  reader: TicketReader,
  file: TicketFile,
  unknownSectors: UnknownSectors,
): Promise<number> {
  await sql`create temporary table incoming (
    line integer, id text, is_valid_ticket boolean, entrou boolean, setor text
  )`;
  const progress = new Progress();
  let lines = 0;
  async function* copyRows(batches: AsyncIterable<readonly IncomingTicket[]>): AsyncGenerator<Buffer> {
    for await (const tickets of batches) {
      let rows = '';
      for (const ticket of tickets) {
        rows += copyRow(ticket);
        unknownSectors.add(ticket.setor);
      }
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
  await findRepeated(sql, reader);
  if (reader.badLines.count > 0) throw reader.badLines.toError();
  return lines;
}

async function findRepeated(sql: postgres.Sql, { badLines }: TicketReader): Promise<void> {
  const [repeated] = await sql`select from incoming group by id having count(*) > 1 limit 1`;
  if (!repeated) return;
  const rows = await sql<{ id: string; line: number; first: number; all: number }[]>`
    select id, line, first, (count(*) over ())::int as all
    from (select id, line, min(line) over (partition by id) as first from incoming) numbered
    where line > first order by line limit 20`;
  for (const { id, line, first } of rows) {
    badLines.add(line, `the id ${quoteValue(id)} was there before, in line ${first}`);
  }
  badLines.addUntold((rows[0]?.all ?? 0) - rows.length);
}

/** In the text format of COPY. */
function copyRow({ line, id, isValid, entrou, setor }: IncomingTicket): string {
  return `${line}\t${escapeForCopy(id)}\t${isValid ?? '\\N'}\t${entrou ?? '\\N'}\t${escapeForCopy(setor)}\n`;
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

/** '1 line', '2 lines'. */
export function countLines(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}
