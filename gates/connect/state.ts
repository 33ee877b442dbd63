import type postgres from 'postgres';
import { CONNECT_TRIGGER, copyMark, GUARD_TRIGGER, PLACING_TRIGGER } from '../../domain/connection-marks.ts';
import { at, type Place } from './databases.ts';
import { type FoundTable, shapeOf, tableName } from './find-tables.ts';

/** What there is of a connection in the board's database. */
export interface HereState {
  /** Whether there is the subscription. */
  readonly exists: boolean;
  readonly isEnabled: boolean;
  /** Whether it has copied anything. */
  readonly hasBegun: boolean;
  readonly isCopied: boolean;
  /** The process ID of the worker that applies changes; null while none runs. */
  readonly worker: number | null;
  /** How often a copy or the worker has failed. */
  readonly failures: number;
  readonly comment: string | null;
  /** The settings as JSON. */
  readonly settings: string | undefined;
  readonly tables: readonly Copy[];
  /** Whether the trigger of each copy runs for what replication writes. */
  readonly isFollowed: boolean;
  /** Whether others are kept from writing its tickets. */
  readonly isGuarded: boolean;
  /** The copies, as `shapeOf` describes tables. */
  readonly shape: string;
  /** Their names, quoted. */
  readonly copies: readonly string[];
}

/** A table that is copied here. */
type Copy = Pick<FoundTable, 'schema' | 'name' | 'columns'> & { readonly isFollowed: boolean };

interface Row {
  readonly exists: boolean;
  readonly isEnabled: boolean | null;
  readonly hasBegun: boolean;
  readonly isCopied: boolean;
  readonly worker: number | null;
  readonly failures: number | null;
  readonly comment: string | null;
  readonly settings: string | null;
  readonly isGuarded: boolean;
  readonly tables: readonly Copy[];
}

export function readHere(here: Place, name: string): Promise<HereState> {
  return at(here, async (sql) => {
    const [row] = await sql<[Row]>`
      with s as (
        select * from pg_subscription
        where subname = ${name} and subdbid = (select oid from pg_database where datname = current_database()))
      select exists (select from s) as exists, (select subenabled from s) as "isEnabled",
        (select obj_description(oid, 'pg_subscription') from s) as comment,
        exists (select from pg_subscription_rel r join s on s.oid = r.srsubid where r.srsubstate <> 'i') as "hasBegun",
        exists (select from s) and not exists (
          select from pg_subscription_rel r join s on s.oid = r.srsubid where r.srsubstate <> 'r') as "isCopied",
        -- PostgreSQL 16 and later start helpers of the worker for large commits; 15 has no such column.
        (select max(w.pid) from pg_stat_subscription w join s on s.oid = w.subid
          where w.relid is null and to_jsonb(w) ->> 'leader_pid' is null) as worker,
        (select (e.apply_error_count + e.sync_error_count)::float8
          from pg_stat_subscription_stats e join s on s.oid = e.subid) as failures,
        (select substr(obj_description(oid, 'pg_namespace'), length('gates -- connect: ') + 1)
          from pg_namespace where nspname = ${name}) as settings,
        exists (select from pg_trigger
          where tgrelid = to_regclass('public.tickets') and tgname = ${GUARD_TRIGGER} and tgenabled <> 'D') as "isGuarded",
        (select coalesce(json_agg(json_build_object('schema', n.nspname, 'name', c.relname,
            'isFollowed', exists (
              select from pg_trigger where tgrelid = c.oid and tgname = ${CONNECT_TRIGGER} and tgenabled = 'A')
              and exists (select from pg_trigger where tgname = ${PLACING_TRIGGER} and tgenabled = 'A'),
            'columns', (
            select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attname collate "C")
            from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped))), '[]')
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind = 'r' and starts_with(obj_description(c.oid, 'pg_class'), ${copyMark('')})) as tables`;
    return {
      ...row,
      isEnabled: row.isEnabled === true,
      failures: row.failures ?? 0,
      settings: row.settings ?? undefined,
      isFollowed: row.tables.every(({ isFollowed }) => isFollowed),
      shape: shapeOf(row.tables),
      copies: row.tables.map(tableName),
    };
  });
}

export interface ThereState {
  readonly isReadable: boolean;
  /** Whether all columns are published, with every row and change. */
  readonly isPublished: boolean;
  /** Whether the slot is there, and its log, which has not gone back behind what was confirmed. */
  readonly hasSlot: boolean;
}

/** Reads as the role of the connection; the rights are this role's. */
export async function readThere(
  sql: postgres.Sql,
  name: string,
  tables: readonly FoundTable[],
): Promise<ThereState> {
  const wanted = tables.map(({ schema, name: table, columns }) => ({
    schema,
    table,
    columns: columns.map((column) => column.name),
  }));
  const [row] = await sql<[ThereState]>`
    with wanted as (
      select w.schema, w.table, a.column
      from jsonb_to_recordset(${sql.json(wanted)}) w (schema text, "table" text, columns jsonb)
        cross join jsonb_array_elements_text(w.columns) a ("column")),
    published as (
      select schemaname::text as schema, tablename::text as table, unnest(attnames)::text as column
      from pg_publication_tables join pg_publication p using (pubname)
      where pubname = ${name} and rowfilter is null and pubinsert and pubupdate and pubdelete and pubtruncate)
    select
      (select bool_and(has_schema_privilege(w.schema, 'usage')
          and has_column_privilege(format('%I.%I', w.schema, w.table), w.column, 'select')) from wanted w) as "isReadable",
      not exists (table wanted except table published) and not exists (table published except table wanted)
        as "isPublished",
      exists (select from pg_replication_slots where slot_name = ${name} and wal_status <> 'lost'
        and coalesce(confirmed_flush_lsn <= pg_current_wal_flush_lsn(), true)) as "hasSlot"`;
  return row;
}
