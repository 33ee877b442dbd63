import type postgres from 'postgres';
import {
  type BackupContents,
  type Column,
  EVENT_COLUMNS,
  type EventContents,
  TABLES,
  type TableContents,
  VALUE_SETTINGS,
} from './backup-format.ts';
import { GatesError, printable } from './errors.ts';

/** For a transaction that reads or writes whole tables, however long that takes. */
export async function prepareForTables(sql: postgres.Sql): Promise<void> {
  for (const [name, value] of Object.entries(VALUE_SETTINGS)) {
    await sql`select set_config(${name}, ${value}, true)`;
  }
  // PostgreSQL then refuses to read a table in part.
  await sql`set local row_security = off`;
  await sql`
    select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;
}

/** Of one event, or of all. */
export async function readContents(sql: postgres.Sql, onlyEvent?: string): Promise<BackupContents> {
  const events = await readEvents(sql, onlyEvent);
  const tables: TableContents[] = [];
  for (const name of TABLES) {
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from ${sql(`public.${name}`)} ${ofEvent(sql, EVENT_COLUMNS[name], onlyEvent)}`;
    tables.push({ name, rows: row?.rows ?? 0, columns: await readColumns(sql, name) });
  }
  const [clock] = await sql<{ now: Date }[]>`select now()`;
  return { takenAt: clock?.now.toISOString() ?? '', onlyEvent, events, tables };
}

/** Every event that is named or has tickets; or one, if it is there. */
export async function readEvents(sql: postgres.Sql, onlyEvent?: string): Promise<EventContents[]> {
  const events = await sql<EventContents[]>`
    select id, sum(tickets)::int as tickets, sum(valid)::int as valid, sum(entered)::int as entered
    from (
      select id, 0 as tickets, 0 as valid, 0 as entered from public.events ${ofEvent(sql, 'id', onlyEvent)}
      union all
      select event_id, 0, 0, 0 from public.event_details ${ofEvent(sql, 'event_id', onlyEvent)}
      union all
      select event_id, count(*), count(*) filter (where is_valid_ticket), count(*) filter (where entrou)
      from public.tickets ${ofEvent(sql, 'event_id', onlyEvent)} group by event_id
    ) found
    group by id order by id collate "C"`;
  return [...events];
}

function ofEvent(sql: postgres.Sql, column: string, onlyEvent: string | undefined) {
  return onlyEvent === undefined ? sql`` : sql`where ${sql(column)} = ${onlyEvent}`;
}

/** Of a table in public, but for generated ones, which nobody can write. */
export async function readColumns(sql: postgres.Sql, table: string): Promise<Column[]> {
  const columns = await sql<Column[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = to_regclass(${`public.${table}`}) and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`;
  if (columns.length === 0) {
    throw new GatesError(`The database has no table public.${table}: run "npm run migrate" first.`);
  }
  return [...columns];
}

/** A line for each event, and one for the sectors. */
export function describeContents({ events, tables }: BackupContents): string {
  const sectors = tables.find(({ name }) => name === 'sectors')?.rows ?? 0;
  const lines = events.map(
    ({ id, tickets, entered, valid }) =>
      `event ${printable(id)}: ${tickets} tickets, ${valid} valid, ${entered} entered`,
  );
  return [...(lines.length > 0 ? lines : ['no events']), `sectors: ${sectors}`]
    .map((line) => `${line}\n`)
    .join('');
}
