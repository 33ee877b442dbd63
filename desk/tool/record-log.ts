import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import { chainedText } from '../model/log/log-chain.ts';
import { GatesError } from '../../gates/cli/errors.ts';

export function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Reads the whole log of an event, in order. */
export async function readLog(sql: postgres.Sql, eventId: string): Promise<LogRow[]> {
  const rows = await sql<LogRow[]>`
    select seq::float8 as seq, id, (extract(epoch from at) * 1000)::float8 as "atMs", source, by_name as by, sector,
      kind, data, figures, previous
    from triagem.log where event_id = ${eventId} order by seq`;
  return [...rows];
}

/**
 * Keeps every other process from adding to the event's record until the transaction ends.
 *
 * @throws GatesError if a board or another command records the event
 */
export async function lockRecord(sql: postgres.Sql, eventId: string): Promise<void> {
  // desk/record/record-session.ts takes the same lock.
  const [row] = await sql<{ isHeld: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`triagem record ${eventId}`}, 0)) as "isHeld"`;
  if (row?.isHeld === true) return;
  throw new GatesError(
    `A board or another command adds to the record of the event ${eventId} now: name another event, stop that board, ` +
      'or wait for the command.',
  );
}

/** Adds entries after the last one; the transaction must hold the lock. */
export async function addEntries(
  sql: postgres.Sql,
  eventId: string,
  log: readonly LogRow[],
  entries: readonly LogEntry[],
): Promise<void> {
  let last = log.at(-1);
  for (const entry of entries) {
    const previous = last ? sha256(chainedText(eventId, last)) : '';
    const row: LogRow = { ...entry, seq: (last?.seq ?? 0) + 1, previous };
    await sql`
      insert into triagem.log (event_id, seq, id, at, source, kind, by_name, sector, data, figures, previous)
      values (${eventId}, ${row.seq}, ${row.id}, ${new Date(row.atMs).toISOString()}::text::timestamptz, ${row.source},
        ${row.kind}, ${row.by}, ${row.sector}, ${JSON.stringify(row.data)}::text::jsonb,
        ${JSON.stringify(row.figures)}::text::jsonb, ${row.previous})`;
    last = row;
  }
}

/** Returns the imports that have not been withdrawn. */
export function activeImports(log: readonly LogRow[]): LogRow[] {
  const withdrawn = new Set(log.flatMap((row) => (row.kind === 'take-back' ? [row.data.id] : [])));
  return log.filter((row) => row.kind === 'import' && !withdrawn.has(row.id));
}

/** Returns the database's time in milliseconds since 1970. */
export async function readDatabaseTime(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<[{ atMs: number }]>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as "atMs"`;
  return row.atMs;
}
