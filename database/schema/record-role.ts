import type postgres from 'postgres';
import { TABLES } from '../../board/sources/postgres/contract.ts';
import { quoteIdentifier } from '../with-connection.ts';
import {
  assertNoPower,
  connectGrant,
  forOwner,
  grantAll,
  type Login,
  type Report,
  tooMuch,
} from './roles.ts';

/** The tables of 005-record.sql, with their schema. */
export const RECORD_TABLES = ['triagem.minutes', 'triagem.log'] as const;

const MORE_THAN_ADD = 'more than add to the record';

/** It comes before any change to the role. @throws DatabaseSetupError: no grant can restrict the role */
export async function assertMayRecord(sql: postgres.Sql, login: Login): Promise<void> {
  await assertNoPower(sql, login, RECORD_TABLES, MORE_THAN_ADD);
}

/**
 * Grants the rights of the record's role: it adds rows to minutes and log, reads them, and can neither change nor remove them.
 * A restore uses temporary tables.
 */
export async function ensureRecorder(sql: postgres.Sql, login: Login, report: Report): Promise<void> {
  const role = quoteIdentifier(login.name);
  const tables = RECORD_TABLES.join(', ');
  const grants = [
    await connectGrant(sql, role, 'CONNECT, TEMPORARY'),
    `GRANT USAGE ON SCHEMA triagem TO ${role}`,
    `GRANT SELECT, INSERT ON ${tables} TO ${role}`,
  ];
  const before = await recorderRights(sql, login.name);
  const isRight = before.adds && before.excess === null;
  if (!isRight) {
    const revokes =
      before.excess === null
        ? []
        : [
            `REVOKE CREATE ON SCHEMA triagem FROM ${role}`,
            `REVOKE ALL ON ${[...RECORD_TABLES, ...TABLES.map((name) => `public.${name}`)].join(', ')} FROM ${role}`,
          ];
    await grantAll(sql, [...revokes, ...grants]);
    const after = await recorderRights(sql, login.name);
    if (after.excess !== null) throw tooMuch(login, MORE_THAN_ADD, after.excess);
    // PostgreSQL only warns where it may grant some of the rights, but not this one.
    if (!after.adds) throw await forOwner(sql, grants);
  }
  report({ what: `role ${role} may add to the record, and no more`, done: !isRight });
}

/** `excess` names a right that the role must not have, and has by itself, through PUBLIC or another role. */
async function recorderRights(
  sql: postgres.Sql,
  name: string,
): Promise<{ adds: boolean; excess: string | null }> {
  const [rights] = await sql<{ adds: boolean; excess: string | null }[]>`
    with recorded as (
      select c.oid, n.nspname || '.' || c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname || '.' || c.relname = any (string_to_array(${RECORD_TABLES.join()}, ',')))
    select has_schema_privilege(r.oid, 'triagem', 'usage')
      and has_database_privilege(r.oid, current_database(), 'connect')
      and has_database_privilege(r.oid, current_database(), 'temporary')
      and (select bool_and(has_table_privilege(r.oid, t.oid, p))
        from recorded t, unnest(array['select', 'insert']) p) as adds,
      concat_ws(', ',
        case when has_schema_privilege(r.oid, 'triagem', 'create') then 'CREATE ON SCHEMA triagem' end,
        (
          select string_agg(upper(p) || ' on ' || t.name, ', ')
          from recorded t, unnest(array['update', 'delete', 'truncate', 'trigger']) p
          where has_table_privilege(r.oid, t.oid, p) or p = 'update' and has_any_column_privilege(r.oid, t.oid, p)
        ),
        (
          select string_agg(upper(p) || ' on public.' || t, ', ')
          from unnest(string_to_array(${TABLES.join()}, ',')) t,
            unnest(array['insert', 'update', 'delete', 'truncate']) p
          where has_table_privilege(r.oid, 'public.' || t, p)
            or p in ('insert', 'update') and has_any_column_privilege(r.oid, 'public.' || t, p)
        )
      ) as excess
    from pg_roles r where r.rolname = ${name}`;
  if (!rights) return { adds: false, excess: null };
  return { adds: rights.adds, excess: rights.excess || null };
}
