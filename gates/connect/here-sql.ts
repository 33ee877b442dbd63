import {
  copyMark,
  DIFFERING_VIEW,
  FILLED_MARK,
  FILLING_MARK,
  VIEW_SYSTEM,
} from '../../domain/connection-marks.ts';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import type { Databases } from './databases.ts';
import { type Connection, formatSettings, ticketsQuery } from './connection.ts';
import { type FoundTable, tableName } from './find-tables.ts';
import { FUNCTION_SETTINGS, guard, placing } from './placing-sql.ts';

/** All statements of this database, each list for one transaction. */
export interface HereSql {
  /** Makes copies and view; the first part of `copies`. */
  readonly view: readonly string[];
  /** Makes copies, view and a disabled subscription, and marks the tickets as not filled. */
  readonly copies: readonly string[];
  /** Removes subscription and copies of an earlier shape; the tickets stay. */
  readonly dropCopies: readonly string[];
  readonly enable: readonly string[];
  /** Makes functions and triggers, also in place of those of an earlier version, and fills the tickets. */
  readonly fill: readonly string[];
  /** Marks the tickets as filled. */
  readonly mark: readonly string[];
}

/** What there is of a connection. */
export interface Copies {
  /** Whether there is a subscription. */
  readonly exists: boolean;
  /** The names of the copied tables, quoted. */
  readonly copies: readonly string[];
}

/** What statements have of the source. */
type Source = Pick<Databases, 'sourceUrl' | 'sourceSettings'>;

export function hereSql(
  { name, settings }: Connection,
  tables: readonly FoundTable[],
  { sourceUrl, sourceSettings }: Source,
  state: Copies,
): HereSql {
  const schema = quoteIdentifier(name);
  const system = settings.system ?? VIEW_SYSTEM;
  const tickets = `${schema}.tickets`;
  const differing = `${schema}.${quoteIdentifier(DIFFERING_VIEW)}`;
  const placed = `${schema}.placed`;
  const group = groupColumn(tables);
  const asThere = sourceSettings.map(([setting, value]) => `${setting} = ${quoteLiteral(value)}`);
  const evaluating = [...asThere.map((setting) => `set ${setting}`), FUNCTION_SETTINGS].join(' ');
  const schemas = [...new Set(tables.map((table) => table.schema))].filter((there) => there !== 'public');
  const view = [
    `create schema if not exists ${schema}`,
    `comment on schema ${schema} is ${quoteLiteral(formatSettings(settings))}`,
    ...schemas.map((there) => `create schema if not exists ${quoteIdentifier(there)}`),
    ...tables.flatMap((table) => copyOf(table, system)),
    `drop view if exists ${differing}, ${tickets}`,
    // Times that stand in the query are read now.
    ...asThere.map((setting) => `set local ${setting}`),
    `create view ${tickets} as ${ticketsQuery(settings, tables)}`,
  ];
  return {
    dropCopies: dropCopies(name, state),
    view,
    copies: [
      ...view,
      `create or replace function ${schema}.differing() returns setof text stable language sql security definer ${evaluating} as $$
  select coalesce(v.key, t.id)
  from ${tickets} v full join (select * from public.tickets where event_id = ${quoteLiteral(settings.eventId)}) t on t.id = v.key
  where (v.is_valid_ticket, v.entrou, v.setor) is distinct from (t.is_valid_ticket, t.entrou, t.setor)
$$`,
      `create view ${differing} as select id from ${schema}.differing() id`,
      `create table if not exists ${placed} (key text primary key, grp ${group.type} not null)`,
      `alter table ${placed} alter column grp type ${group.type} using grp::text::${group.type}`,
      `create index if not exists placed_grp on ${placed} (grp)`,
      `drop table if exists ${schema}.waiting`,
      ...guard(schema, settings.eventId, system),
      grantReaders([...schemas, name], [...tables.map(tableName), differing]),
      // With streaming, changes of two open transactions would be applied side by side. What is confirmed to the source is
      // never sent again: a synchronous standby must have it.
      `create subscription ${schema} connection ${quoteLiteral(sourceUrl)} publication ${schema}
  with (create_slot = false, enabled = false, slot_name = ${quoteLiteral(name)}, streaming = off, synchronous_commit = on)`,
      `comment on subscription ${schema} is ${quoteLiteral(FILLING_MARK)}`,
    ],
    enable: [`alter subscription ${schema} enable`],
    fill: [
      ...placing({ schema, settings, system, groupType: group.type, evaluating, tables }),
      `select ${schema}.fill()`,
      `analyze ${tables.map(tableName).join(', ')}, ${placed}, public.tickets`,
    ],
    mark: [`comment on subscription ${schema} is ${quoteLiteral(FILLED_MARK)}`],
  };
}

/** Returns the statements that remove subscription and copies. */
function dropCopies(name: string, { exists, copies }: Copies): string[] {
  const subscription = quoteIdentifier(name);
  return [
    ...(exists
      ? [
          `alter subscription ${subscription} disable`,
          `alter subscription ${subscription} set (slot_name = none)`,
          `drop subscription ${subscription}`,
        ]
      : []),
    ...copies.map((copy) => `drop table ${copy} cascade`),
  ];
}

/** Returns the statements that remove all but the schema, with the settings: `removeSchema` is the last one. */
export function removeTickets({ name, settings }: Connection, state: Copies): string[] {
  return [
    ...dropCopies(name, state),
    `drop function if exists ${quoteIdentifier(name)}.guard() cascade`,
    `delete from public.tickets where event_id = ${quoteLiteral(settings.eventId)}`,
  ];
}

export function removeSchema({ name }: Connection): string {
  return `drop schema ${quoteIdentifier(name)} cascade`;
}

/** The column of the first table whose value is the group. */
function groupColumn([first]: readonly FoundTable[]): { readonly type: string } {
  const column = first?.columns.find(({ name }) => name === first.spec.group);
  if (!column) throw new Error('the group of the first table is none of its columns');
  return column;
}

function copyOf(table: FoundTable, system: string): string[] {
  const copy = tableName(table);
  const columns = table.columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`);
  const key = table.identity.map(quoteIdentifier).join(', ');
  const { group, indexed = [], formerly = {} } = table.spec;
  const lookups = [...indexed, ...(typeof group === 'string' ? [group] : [])].map((column) =>
    table.absent.includes(column) ? (formerly[column] ?? column) : column,
  );
  return [
    `create table ${copy} (${columns.join(', ')}, primary key (${key}))`,
    `comment on table ${copy} is ${quoteLiteral(copyMark(system, table.absent))}`,
    ...lookups
      .filter((column) => column !== table.identity.join())
      .map((column) => `create index on ${copy} (${quoteIdentifier(column)})`),
  ];
}

/** Who may read the tickets may read the copies, too: the board compares them with their source, and the tickets with them. */
function grantReaders(schemas: readonly string[], relations: readonly string[]): string {
  const grants = [
    ...schemas.map((schema) => `grant usage on schema ${quoteIdentifier(schema)} to `),
    `grant select on ${relations.join(', ')} to `,
  ];
  return `do $$
declare reader text;
begin
  for reader in
    select distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end
    from (
      select relacl as acl from pg_class where oid = 'public.tickets'::regclass
      union all select attacl from pg_attribute where attrelid = 'public.tickets'::regclass) rights,
      aclexplode(acl)
    where privilege_type = 'SELECT' loop
${grants.map((grant) => `    execute ${quoteLiteral(grant)} || reader;\n`).join('')}  end loop;
end $$`;
}
