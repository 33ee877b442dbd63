import type postgres from 'postgres';
import { copiedFrom } from '../../domain/connection-marks.ts';
import { GatesError, quoteValue } from '../cli/errors.ts';
import type { Connection } from './connection.ts';
import { at, type Databases } from './databases.ts';
import { type FoundTable, HOW_WITHOUT_COLUMN, tableName } from './find-tables.ts';
import { query } from './sql.ts';
import { readHere } from './state.ts';
import type { System } from './system.ts';

const MIN_SERVER_VERSION = 150_000;

/** @throws GatesError where the source, or this database, cannot be connected. */
export async function assertConnectable({ here, owner, reader }: Databases): Promise<void> {
  const [source] = await at(
    owner,
    (sql) => sql<[{ version: number; text: string; walLevel: string; isStandby: boolean; isBoard: boolean }]>`
      select current_setting('server_version_num')::int as version, current_setting('server_version') as text,
        current_setting('wal_level') as "walLevel", pg_is_in_recovery() as "isStandby",
        coalesce(obj_description(to_regclass('public.tickets'), 'pg_class') = 'Made by Triagem.', false) as "isBoard"`,
  );
  if (source.isBoard)
    throw new GatesError(`${owner.setting} names a database of a board: name that of the ticketing system.`);
  if (source.version < MIN_SERVER_VERSION)
    throw new GatesError(
      `The source is PostgreSQL ${source.text}; publications of single columns came with 15: upgrade it, or see docs/gates.md for other ways.`,
    );
  if (source.isStandby) throw new GatesError(`${owner.setting} names a standby: name the primary.`);
  if (source.walLevel !== 'logical')
    throw new GatesError(
      `The source's wal_level is "${source.walLevel}", so that its changes cannot be followed. As a superuser there: ALTER SYSTEM SET wal_level = logical; then restart PostgreSQL.`,
    );
  const [role] = await at(
    reader,
    (sql) => sql<[{ name: string; replicates: boolean; isFull: boolean }]>`
      select rolname as name, rolreplication or rolsuper as replicates,
        (select count(*) from pg_replication_slots) >= current_setting('max_replication_slots')::int as "isFull"
      from pg_roles where rolname = current_user`,
  );
  if (!role.replicates)
    throw new GatesError(
      `The role ${quoteValue(role.name)} of SOURCE_DATABASE_URL may not replicate. As a superuser there: ALTER ROLE "${role.name}" REPLICATION;`,
    );
  if (role.isFull)
    throw new GatesError(
      'The source has no free replication slot. As a superuser there: raise max_replication_slots and max_wal_senders, then restart PostgreSQL.',
    );
  const [own] = await at(
    here,
    (sql) => sql<[{ hasTickets: boolean; maySubscribe: boolean }]>`
      select coalesce((
          select bool_and(has_table_privilege(to_regclass('public.tickets'), wanted))
          from unnest(array['insert', 'update', 'delete', 'trigger']) wanted), false) as "hasTickets",
        r.rolsuper or exists (
          select from pg_roles p where p.rolname = 'pg_create_subscription' and pg_has_role(r.oid, p.oid, 'usage'))
          and has_database_privilege(current_database(), 'create') as "maySubscribe"
      from pg_roles r where r.rolname = current_user`,
  );
  if (!own.maySubscribe)
    throw new GatesError(
      'The role of MIGRATE_DATABASE_URL may not make a subscription: let it name a superuser, or from PostgreSQL 16 on GRANT pg_create_subscription to it, and CREATE on the database.',
    );
  if (!own.hasTickets)
    throw new GatesError(
      'The role of MIGRATE_DATABASE_URL cannot write public.tickets, or make a trigger on it: let it name the owner of the tables.',
    );
}

/**
 * What row security hides is neither copied nor compared.
 *
 * @throws GatesError where it applies to one of these tables and to a role that reads them.
 */
export async function assertNoRowSecurity(
  { owner, reader }: Databases,
  tables: readonly FoundTable[],
): Promise<void> {
  const named = tables.map(({ schema, name, spec }) => ({ schema, name, open: spec.openPolicy }));
  for (const place of new Set([reader, owner])) {
    const [hidden] = await at(
      place,
      (sql) => sql<{ table: string; role: string }[]>`
        select w.schema || '.' || w.name as "table", current_user as role
        from jsonb_to_recordset(${sql.json(named)}) w (schema text, name text, open text)
          join pg_namespace n on n.nspname = w.schema join pg_class c on c.relnamespace = n.oid and c.relname = w.name
        where row_security_active(c.oid) and (
          exists (select from pg_policy where polrelid = c.oid and polcmd in ('*', 'r') and not polpermissive)
          or not exists (select from pg_policy
            where polrelid = c.oid and polcmd in ('*', 'r') and polpermissive and polname = w.open and 0 = any (polroles)))`,
    );
    if (hidden)
      throw new GatesError(
        `Row security of the table ${hidden.table} of the source may hide rows from the role ${quoteValue(hidden.role)} of ${place.setting}, which would count too few. As a superuser there: ALTER ROLE "${hidden.role}" BYPASSRLS; or name the owner of the table, where its row security is not forced.`,
      );
  }
}

/** @throws GatesError where a copy would take the name of a table that is here. */
export async function assertNamesFree({ here }: Databases, tables: readonly FoundTable[]): Promise<void> {
  const taken = await at(
    here,
    (sql) => sql<{ name: string; comment: string | null }[]>`
      select n.nspname || '.' || c.relname as name, obj_description(c.oid, 'pg_class') as comment
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname || '.' || c.relname in ${sql(tables.map(({ schema, name }) => `${schema}.${name}`))}`,
  );
  const first = taken.find(({ comment }) => copiedFrom(comment) === undefined);
  if (first)
    throw new GatesError(
      `The board's database has a table ${first.name} of its own, and a copy has the name of the source: give the board a database of its own, without such a table.`,
    );
}

/**
 * What stands for a column is for versions that never had it.
 *
 * @throws GatesError where one that this connection has copied is gone, or has another name.
 */
export async function assertColumnsKept(
  { here }: Databases,
  { name }: Connection,
  tables: readonly FoundTable[],
): Promise<void> {
  const copies = (await readHere(here, name)).tables;
  for (const table of tables) {
    const copied = copies.find((copy) => tableName(copy) === tableName(table))?.columns ?? [];
    const lost = table.absent.find(
      (column) => table.spec.standIns?.[column] !== undefined && copied.some((one) => one.name === column),
    );
    if (lost !== undefined)
      throw new GatesError(
        `The table ${table.schema}.${table.name} of the source has no column ${lost} any more, which was copied. ${HOW_WITHOUT_COLUMN}; to go without it on purpose, "connect --remove", then connect again.`,
      );
  }
}

/** @throws GatesError where a query of tickets at the source is none that a board can follow. */
export async function assertTickets(
  sql: postgres.Sql,
  tickets: string,
  { choosing, leavesOut }: System,
  isConnected: boolean,
): Promise<void> {
  const [counts] = await query<{ tickets: number; nulls: number; long: number }>(
    sql,
    `select count(*)::int as tickets, count(*) filter (where key is null or grp is null)::int as nulls,
      count(*) filter (where octet_length(key) > 128)::int as long from (${tickets}) t`,
  );
  // A list that was emptied later is no mistake of who connects.
  if (!counts || (counts.tickets === 0 && !isConnected))
    throw new GatesError(
      choosing?.lists
        ? `The source has no ticket of this event on this list${leavesOut === undefined ? '' : ` (${leavesOut} are left out)`}: without --list, its lists are listed.`
        : 'The source has no ticket of this event: without --event, its events are listed.',
    );
  if (counts.nulls > 0)
    throw new GatesError(
      `${counts.nulls} rows of the view have no key or no grp: leave them out, or give them one.`,
    );
  const [twice] = await query<{ key: string; rows: number }>(
    sql,
    `select key, count(*)::int as rows from (${tickets}) t group by key having count(*) > 1 order by 1 limit 1`,
  );
  if (twice)
    throw new GatesError(
      `The view has ${twice.rows} rows for the key ${quoteValue(twice.key)}: a ticket is one row.`,
    );
}

/** @throws GatesError where the event has tickets that came another way. */
export async function assertEventFree({ here }: Databases, eventId: string): Promise<void> {
  const [row] = await at(
    here,
    (sql) => sql<{ n: number }[]>`
      select count(*)::int as n from public.tickets where lower(event_id) = ${eventId}`,
  );
  if (row?.n)
    throw new GatesError(
      `The event ${eventId} has ${row.n} tickets that came another way, and would count twice. Either "event create", connect with --into and its ID, and start the board with this EVENT_ID; or start the board with another EVENT_ID, then "event delete --event ${eventId}", connect with --into ${eventId}, and start the board with it again.`,
    );
}
