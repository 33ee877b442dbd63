import type postgres from 'postgres';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { errorCode, errorMessage, GatesError } from '../cli/errors.ts';
import { type Connection, ticketsQuery } from './connection.ts';
import { at, type Databases } from './databases.ts';
import { type FoundTable, tableName } from './find-tables.ts';
import { hereSql } from './here-sql.ts';
import { qualified, query, runSql } from './sql.ts';
import { readHere } from './state.ts';

/** SQLSTATEs of names that a query has and a database has not: a table, a column, a function, a type. */
const UNKNOWN_NAME = new Set(['42P01', '42703', '42883', '42704', '3F000']);

/** What a view reads and calls, by the catalogue. */
interface Uses {
  /** Tables and views that are no copies. */
  readonly others: string | null;
  /** What has another answer by the clock, the session, or chance. */
  readonly changing: string | null;
}

/**
 * Makes the copies and the view here, empty, and takes them back: so nothing is left of a refusal, on either side.
 *
 * @throws GatesError where a view of the operator's cannot be followed: `--tables` lacks what it reads, or it calls what
 * answers otherwise while no row changes.
 */
export async function assertFollowable(
  databases: Databases,
  connection: Connection,
  tables: readonly FoundTable[],
): Promise<void> {
  if (!connection.settings.view) return;
  const { here, owner, sourceUrl } = databases;
  const sql = hereSql(connection, tables, sourceUrl, await readHere(here, connection.name));
  const { others, changing } = await at(here, async (session) => {
    try {
      await runSql(session, 'begin', ...sql.dropCopies, ...sql.view);
      return await readUses(session, connection, tables);
    } catch (error) {
      throw UNKNOWN_NAME.has(errorCode(error) ?? '') ? lacking(errorMessage(error)) : error;
    } finally {
      await runSql(session, 'rollback');
    }
  });
  if (others !== null) throw lacking(`it reads ${others}`);
  if (changing !== null)
    throw new GatesError(
      `The view calls ${changing}, whose answer changes while no row does: the tickets would not follow. Write the query without it: a ticket follows from rows alone.`,
    );
  const groups = `select grp::text from (${ticketsQuery(connection.settings, tables)}) t union select ${groupOf(tables[0])}`;
  for (const table of tables.slice(1)) {
    const group = groupOf(table);
    const [rows] = await at(owner, (there) =>
      query<{ hasRows: boolean; hasGroup: boolean }>(
        there,
        `select exists (select ${group}) as "hasRows", exists (select ${group} intersect (${groups})) as "hasGroup"`,
      ),
    );
    if (rows?.hasRows && !rows.hasGroup)
      throw new GatesError(
        `No value of the first column that --tables names of ${table.schema}.${table.name} is a grp of the view: its changes would change no ticket. Name the column first that is grp in the view.`,
      );
  }
}

function lacking(what: string): GatesError {
  return new GatesError(
    `--tables lacks what the view reads (${what}): name each table there, the column first that is grp in the view, then those that the query reads.`,
  );
}

/** The text of a query of a table's groups behind `select`. */
function groupOf(table: FoundTable | undefined): string {
  if (typeof table?.spec.group !== 'string') throw new Error('the group of a table of a view is a column');
  return `${quoteIdentifier(table.spec.group)}::text from ${tableName(table)}`;
}

/**
 * The functions of a query stand in its tree alone: PostgreSQL keeps no dependency on its own. A function that takes nothing and
 * is not immutable knows the clock or the session, and so does `age` of one instant.
 */
async function readUses(
  sql: postgres.Sql,
  { name }: Connection,
  tables: readonly FoundTable[],
): Promise<Uses> {
  const copies = tables.map((table) => `${quoteLiteral(tableName(table))}::regclass`).join(', ');
  const [uses] = await query<Uses>(
    sql,
    `with rule as (
      select oid, ev_class, ev_action::text as tree from pg_rewrite
      where ev_class = ${quoteLiteral(qualified(name, 'tickets'))}::regclass),
    called as (
      select distinct p.* from rule, regexp_matches(tree, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\\d+)', 'g') ids
        join pg_proc p on p.oid = ids[1]::oid)
    select
      (select string_agg(distinct refobjid::regclass::text, ', ') from pg_depend join rule on objid = rule.oid
        where classid = 'pg_rewrite'::regclass and refclassid = 'pg_class'::regclass
          and refobjid not in (ev_class, ${copies})) as others,
      (select string_agg(call, ', ' order by call) from (
        select oid::regprocedure::text as call from called
        where provolatile = 'v' or provolatile = 's' and (pronargs = 0 or proname = 'age' and pronargs = 1)
        union all select 'CURRENT_DATE, CURRENT_USER or the like' from rule where tree like '%{SQLVALUEFUNCTION %') c) as changing`,
  );
  if (!uses) throw new Error('an aggregate has one row');
  return uses;
}
