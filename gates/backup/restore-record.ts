import type postgres from 'postgres';
import { type TableContents } from './backup-format.ts';
import { errorCode, GatesError } from '../cli/errors.ts';
import { insertRows } from './restore-tables.ts';

const TAKEN = '23505';

/**
 * Adds the rows of a record table. A log that exists already must agree with the backup's as far as both go, since a log is
 * append-only and each row has the hash of the previous one.
 */
export async function insertRecord(
  sql: postgres.Sql,
  table: TableContents,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  if (table.name !== 'log') return insertRows(sql, table, rows);
  try {
    await insertRows(sql, table, rows, () => assertSameLog(sql));
  } catch (error) {
    if (errorCode(error) !== TAKEN) throw error;
    throw new GatesError('A board has added to the log meanwhile: try again.');
  }
}

/** The rows of the backup are in the temporary table `incoming_log`. */
async function assertSameLog(sql: postgres.Sql): Promise<void> {
  const [other] = await sql<{ eventId: string; entries: number }[]>`
    select there.event_id as "eventId",
      (select count(*)::int from triagem.log l where l.event_id = there.event_id) as entries
    from incoming_log i join triagem.log there using (event_id, seq)
    where (i.id, i.at, i.source, i.kind, i.by_name, i.sector, i.data, i.figures, i.previous) is distinct from
      (there.id, there.at, there.source, there.kind, there.by_name, there.sector, there.data, there.figures,
        there.previous)
    order by 1, there.seq limit 1`;
  if (!other) return;
  const { eventId, entries } = other;
  const literal = `'${eventId.replaceAll("'", "''")}'`;
  throw new GatesError(
    `The event ${eventId} has another log here, of ${entries} entries, and a log is only added to. Restore the tickets ` +
      'without the record, with --only tickets; or, while no board records (with the embedded database: while it runs ' +
      'without DESK_KEY), let the owner of the tables run what follows, restore, and only then start with DESK_KEY again, ' +
      'as a board with tickets begins a log at once: ' +
      `DELETE FROM triagem.log WHERE event_id = ${literal}; DELETE FROM triagem.minutes WHERE event_id = ${literal};`,
  );
}
