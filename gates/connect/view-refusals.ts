import type postgres from 'postgres';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import { errorCode, errorMessage, GatesError } from '../cli/errors.ts';
import { type Connection, ticketsQuery } from './connection.ts';
import { at, type Databases, type Place } from './databases.ts';
import { type FoundTable, tableName } from './find-tables.ts';
import { hereSql } from './here-sql.ts';
import { qualified, query, runSql } from './sql.ts';
import { readHere } from './state.ts';

/** SQLSTATEs of names that a query has and a database has not: a table, a column, a function, a type. */
const UNKNOWN_NAME = new Set(['42P01', '42703', '42883', '42704', '3F000']);

/** The OID of the type. */
const TIMESTAMPTZ = 1184;

/** What a view reads and calls, by the catalogue. */
interface Uses {
  /** Tables and views that are no copies. */
  readonly others: string | null;
  /** What has another answer by the clock, the session, or chance. */
  readonly changing: string | null;
  /** What has another answer by the session's time zone. */
  readonly zoned: string | null;
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
  await assertKnownTypes(databases.owner, ticketsQuery(connection.settings, tables));
  const { here, owner } = databases;
  const sql = hereSql(connection, tables, databases, await readHere(here, connection.name));
  const { others, changing, zoned } = await at(here, async (session) => {
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
  if (zoned !== null)
    throw new GatesError(
      `The view calls ${zoned}, whose answer follows the time zone of the session, which may be changed at the source: name the time zone, as in (column at time zone 'America/Sao_Paulo')::date.`,
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

/**
 * A type that PostgreSQL does not have everywhere is text in a copy, which may compare otherwise: an enum has an order of its
 * own, `citext` takes upper and lower case for the same.
 */
async function assertKnownTypes(owner: Place, tickets: string): Promise<void> {
  const { compared, ordered, collated } = await at(owner, async (there) => {
    try {
      await runSql(there, 'begin', `create temp view triagem_view as ${tickets}`);
      return await readTypes(there);
    } finally {
      await runSql(there, 'rollback');
    }
  });
  if (compared !== null)
    throw new GatesError(
      `The view reads columns of the type ${compared}, which is text here, and may compare otherwise: cast each of them to text where it stands (column::text).`,
    );
  if (ordered !== null)
    throw new GatesError(
      `The view calls ${ordered} for an enum, which is text here and has another order: compare it by = and in alone.`,
    );
  if (collated !== null)
    throw new GatesError(
      `The view reads texts with the collation ${collated}, for which different texts may be equal, and which a copy has not: name another one wherever such a column stands (column collate "C").`,
    );
}

interface Types {
  /** Types of columns that are neither PostgreSQL's own nor enums, where they are not cast to text at once. */
  readonly compared: string | null;
  /** Functions and operators of enums but those of equality. */
  readonly ordered: string | null;
  /** Collations that take different texts for the same, where no other one is named at once. */
  readonly collated: string | null;
}

async function readTypes(sql: postgres.Sql): Promise<Types> {
  const [types] = await query<Types>(
    sql,
    String.raw`with rule as (
      select regexp_replace(regexp_replace(ev_action::text, ':joinaliasvars \((\{VAR [^{}]*\} ?)*\)', '', 'g'),
        '\{(COERCEVIAIO|RELABELTYPE) :arg \{VAR [^{}]*\} :resulttype 25 ', '', 'g') as tree
      from pg_rewrite where ev_class = 'pg_temp.triagem_view'::regclass)
    select
      (select string_agg(distinct format_type(t.oid, null), ', ')
        from rule, regexp_matches(tree, '\{VAR [^{}]*:vartype (\d+) ', 'g') ids join pg_type t on t.oid = ids[1]::oid
        where t.typnamespace <> 'pg_catalog'::regnamespace and t.typtype <> 'e') as compared,
      (select string_agg(distinct p.oid::regprocedure::text, ', ')
        from rule, regexp_matches(tree, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') ids
          join pg_proc p on p.oid = ids[1]::oid
        where 'anyenum'::regtype = any (p.proargtypes::oid[]) and p.proname not in ('enum_eq', 'enum_ne')) as ordered,
      (select string_agg(distinct c.oid::regcollation::text, ', ')
        from rule, regexp_replace(tree, '\{COLLATEEXPR :arg \{VAR [^{}]*\} ', '', 'g') bare,
          regexp_matches(bare, ':\w*coll(?:id|Oid) (\d+)', 'g') ids join pg_collation c on c.oid = ids[1]::oid
        where not c.collisdeterministic) as collated`,
  );
  if (!types) throw new Error('an aggregate has one row');
  return types;
}

/** The text of a query of a table's groups behind `select`. */
function groupOf(table: FoundTable | undefined): string {
  if (typeof table?.spec.group !== 'string') throw new Error('the group of a table of a view is a column');
  return `${quoteIdentifier(table.spec.group)}::text from ${tableName(table)}`;
}

/**
 * The functions of a query stand in its tree alone: PostgreSQL keeps no dependency on its own. A function that takes nothing and
 * is not immutable knows the clock or the session, and so does `age` of one instant. One that is not immutable and takes or
 * returns an instant takes the session's time zone.
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
        union all select 'CURRENT_DATE, CURRENT_USER or the like' from rule where tree like '%{SQLVALUEFUNCTION %') c) as changing,
      (select string_agg(call, ', ' order by call) from (
        select oid::regprocedure::text as call from called
        where provolatile = 's' and ('timestamptz'::regtype = any (proargtypes::oid[]) or prorettype = 'timestamptz'::regtype)
        union all select 'a cast of a timestamptz to or from text' from rule
        where tree ~ '\\{COERCEVIAIO :arg \\{\\w+ [^{}]*(vartype|aggtype|opresulttype|funcresulttype|consttype) ${TIMESTAMPTZ} '
          or tree ~ ':resulttype ${TIMESTAMPTZ} :resultcollid ') z) as zoned`,
  );
  if (!uses) throw new Error('an aggregate has one row');
  return uses;
}
