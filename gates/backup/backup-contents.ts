import type postgres from 'postgres';
import {
  type BackupContents,
  type Column,
  eventColumnOf,
  type EventContents,
  isOfRecord,
  RECORD_TABLES,
  type TableName,
  tableOf,
  TABLES,
  VALUE_SETTINGS,
} from './backup-format.ts';
import { GatesError, printable } from '../cli/errors.ts';
import { countSimulated } from '../simulator/simulated-id.ts';

/**
 * Makes all reads of this transaction, which has read nothing yet, those of one instant. To an instant before a commit that
 * truncates or rewrites a table, as ALTER TABLE may, this table is empty: so all are locked before, against such commits alone.
 */
export async function seeOneInstant(sql: postgres.Sql): Promise<void> {
  await sql`set transaction isolation level repeatable read`;
  await sql`
    lock table public.events, public.sectors, public.tickets, public.event_details, public.ticket_times,
      public.kept_readings in access share mode`;
}

/** Prepares a transaction that reads or writes whole tables, however long that takes. */
export async function prepareForTables(sql: postgres.Sql): Promise<void> {
  for (const [name, value] of Object.entries(VALUE_SETTINGS)) {
    await sql`select set_config(${name}, ${value}, true)`;
  }
  // As text, an amount of money has the form of a locale, and an array may not have nulls.
  await sql`select set_config('lc_monetary', 'C', true), set_config('array_nulls', 'on', true)`;
  // PostgreSQL then fails rather than hide rows by policies.
  await sql`set local row_security = off`;
  await sql`
    select set_config(name, '0', true) from pg_settings
    where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`;
}

/** A transaction of each role. Without `record`, the backup has no record. */
export interface BackupSources {
  readonly gates: postgres.Sql;
  readonly record: postgres.Sql | undefined;
}

export async function readContents(
  { gates, record }: BackupSources,
  onlyEvent?: string,
): Promise<BackupContents> {
  const read = async (sql: postgres.Sql, name: TableName) => {
    const [row] = await sql<{ rows: number }[]>`
      select count(*)::int as rows from ${sql(tableOf(name))} ${ofEvent(sql, eventColumnOf(name), onlyEvent)}`;
    return { name, rows: row?.rows ?? 0, columns: await readColumns(sql, name) };
  };
  const events = [];
  for (const event of await readEvents(gates, onlyEvent)) events.push(await withSimulated(gates, event));
  const tables = [];
  for (const name of TABLES) tables.push(await read(gates, name));
  for (const name of record ? RECORD_TABLES : []) tables.push(await read(record ?? gates, name));
  const [clock] = await gates<{ now: Date }[]>`select now()`;
  return { takenAt: clock?.now.toISOString() ?? '', onlyEvent, events, tables };
}

/** Returns every event that is named or has tickets; with `onlyEvent` that one, if it exists. */
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

/** Adds how many tickets are simulated, where some are. */
async function withSimulated(sql: postgres.Sql, event: EventContents): Promise<EventContents> {
  const { simulated } = await countSimulated(sql, event.id);
  return simulated > 0 ? { ...event, simulated } : event;
}

function ofEvent(sql: postgres.Sql, column: string, onlyEvent: string | undefined) {
  return onlyEvent === undefined ? sql`` : sql`where ${sql(column)} = ${onlyEvent}`;
}

/** Leaves out generated columns, which cannot be written. */
export async function readColumns(sql: postgres.Sql, name: TableName): Promise<Column[]> {
  const table = tableOf(name);
  const columns = await sql<Column[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`;
  if (columns.length === 0) {
    throw new GatesError(`The database has no table ${table}: run "npm run migrate" first.`);
  }
  return [...columns];
}

/** Returns a line for each event, one for the sectors' documents, and one for the record, if there is one. */
export function describeContents({ events, tables }: BackupContents): string {
  const rowsOf = (table: TableName): number => tables.find(({ name }) => name === table)?.rows ?? 0;
  const lines = events.map(
    ({ id, tickets, entered, valid, simulated = 0 }) =>
      `event ${printable(id)}: ${tickets} tickets, ${valid} valid, ${entered} entered${simulated > 0 ? `; ${simulated} of them SIMULATED` : ''}`,
  );
  const record = tables.some(isOfRecord)
    ? [`record: ${rowsOf('log')} entries of the log, ${rowsOf('minutes')} minutes of a sector`]
    : [];
  return [...(lines.length > 0 ? lines : ['no events']), `sector documents: ${rowsOf('sectors')}`, ...record]
    .map((line) => `${line}\n`)
    .join('');
}
