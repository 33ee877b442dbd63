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

/** OIDs of `timestamptz`, of an array of them, and of a row: what becomes a text by the session's time zone, or may. */
const ZONED = '(1184|1185|2249)';

/**
 * Functions of PostgreSQL that it does not call immutable, and whose answer follows from what they are given, and from the
 * settings with which the view is evaluated.
 */
const ALLOWED_FUNCTIONS = literals(
  'concat concat_ws format textanycat anytextcat array_to_string quote_literal quote_nullable convert_to convert_from to_char',
  'to_number to_date xml to_json to_jsonb row_to_json array_to_json json_build_array json_build_object jsonb_build_array',
  'jsonb_build_object',
);

/** Aggregates of PostgreSQL whose answer does not follow from the order of the rows. */
const ALLOWED_AGGREGATES = literals('count min max sum avg bool_and bool_or every bit_and bit_or bit_xor');

/** What a view reads and calls, by the catalogue. */
interface Uses {
  /** Tables and views that are no copies. */
  readonly others: string | null;
  /** What has another answer by the clock, the session or its settings, or chance. */
  readonly changing: string | null;
  /** What has another answer in a copy of the same rows. */
  readonly arbitrary: string | null;
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
  const { others, changing, arbitrary } = await at(here, async (session) => {
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
      `The view calls ${changing}, whose answer may change while no row does, as with the clock, the session or its time zone: the tickets would not follow. Write the query without it, and name a time zone that it needs, as in (column at time zone 'America/Sao_Paulo')::date.`,
    );
  if (arbitrary !== null)
    throw new GatesError(
      `The view has ${arbitrary}, whose answer may be another one for the same rows in a copy, as where two of them tie. Say by conditions on columns what decides: a reading is the last one where not exists (one with a later time).`,
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

/** Returns names that are separated by spaces as SQL literals, separated by commas. */
function literals(...names: readonly string[]): string {
  return names.join(' ').split(' ').map(quoteLiteral).join(', ');
}

/** The text of a query of a table's groups behind `select`. */
function groupOf(table: FoundTable | undefined): string {
  if (typeof table?.spec.group !== 'string') throw new Error('the group of a table of a view is a column');
  return `${quoteIdentifier(table.spec.group)}::text from ${tableName(table)}`;
}

/** The functions of a query stand in its tree alone: PostgreSQL keeps no dependency on its own. */
async function readUses(
  sql: postgres.Sql,
  { name }: Connection,
  tables: readonly FoundTable[],
): Promise<Uses> {
  const copies = tables.map((table) => `${quoteLiteral(tableName(table))}::regclass`).join(', ');
  const [uses] = await query<Uses>(
    sql,
    String.raw`with rule as (
      select oid, ev_class, ev_action::text as tree from pg_rewrite
      where ev_class = ${quoteLiteral(qualified(name, 'tickets'))}::regclass),
    called as (
      select distinct p.*, p.oid::regprocedure::text as call, pronamespace = 'pg_catalog'::regnamespace as is_built_in,
        proargtypes::oid[] || prorettype as types
      from rule, regexp_matches(tree, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') ids join pg_proc p on p.oid = ids[1]::oid)
    select
      (select string_agg(distinct refobjid::regclass::text, ', ') from pg_depend join rule on objid = rule.oid
        where classid = 'pg_rewrite'::regclass and refclassid = 'pg_class'::regclass
          and refobjid not in (ev_class, ${copies})) as others,
      (select string_agg(call, ', ' order by call) from (
        select call from called
        where provolatile = 'v' or provolatile = 's' and prokind = 'f' and (pronargs = 0
          or is_built_in and (proname not in (${ALLOWED_FUNCTIONS}) or 'timestamptz'::regtype = any (types)))
        union all select 'CURRENT_DATE, CURRENT_USER or the like' from rule where tree like '%{SQLVALUEFUNCTION %'
        union all select 'a cast of a timestamptz, an array or a row to or from text' from rule
        where tree ~ '\{COERCEVIAIO :arg \{\w+ [^{}]*(vartype|aggtype|opresulttype|funcresulttype|consttype|array_typeid|row_typeid) ${ZONED} '
          or tree ~ ':(resulttype|typid) 1184 :' or tree ~ ':coltypes \(o [^)]*\m1184\M') c) as changing,
      (select string_agg(call, ', ' order by call) from (
        select call from called where prokind = 'a' and is_built_in
          and (proname not in (${ALLOWED_AGGREGATES}) or types && array['float4'::regtype, 'float8'::regtype]::oid[])
        union all select 'limit or offset' from rule where tree ~ ':limit(Offset|Count) \{'
        union all select 'array(select ...)' from rule where tree like '%:subLinkType 6 %'
        union all select 'distinct on' from rule where tree like '%:hasDistinctOn true %'
        union all select 'a window' from rule where tree like '%:hasWindowFuncs true %'
        union all select 'tablesample' from rule where tree like '%:tablesample {%'
        union all select 'a whole row, or a column of the system''s' from rule where tree ~ '\{VAR :varno \d+ :varattno (0|-\d+) ') a) as arbitrary`,
  );
  if (!uses) throw new Error('an aggregate has one row');
  return uses;
}
