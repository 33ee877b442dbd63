import {
  CONNECT_TRIGGER,
  copyMark,
  DIFFERING_VIEW,
  FILLED_MARK,
  FILLING_MARK,
  GUARD_TRIGGER,
  PLACING_TRIGGER,
  VIEW_SYSTEM,
} from '../../domain/connection-marks.ts';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import type { Databases } from './databases.ts';
import { type Connection, formatSettings, ticketsQuery } from './connection.ts';
import { type FoundTable, namesOf, tableName } from './find-tables.ts';
import type { Choice } from './system.ts';

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

/** Without the last of these, queries are planned anew at each call, which takes most of the time of a commit. */
const SETTINGS = 'set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan';
const TRIGGER = quoteIdentifier(CONNECT_TRIGGER);
const TRUNCATE_TRIGGER = quoteIdentifier(`${CONNECT_TRIGGER}_truncate`);
const BEFORE_TRUNCATE_TRIGGER = quoteIdentifier(`${CONNECT_TRIGGER}_before_truncate`);
const PLACING = quoteIdentifier(PLACING_TRIGGER);
const GUARD = quoteIdentifier(GUARD_TRIGGER);
/** The guard lets functions with this setting write tickets. */
const IS_CONNECT = 'triagem.is_connect';
/** This setting is on in a transaction whose groups wait to be placed. */
const IS_WAITING = 'triagem.is_waiting';
/** Planning for so many groups saves more time than it takes: a plan for few reads a large commit again and again. */
const MANY_GROUPS = 50;

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
  const evaluating = [...asThere.map((setting) => `set ${setting}`), SETTINGS].join(' ');
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
      `create unlogged table if not exists ${schema}.waiting (grp ${group.type}, is_first boolean not null)`,
      ...functions(schema, settings.eventId, group.type, evaluating),
      ...tables.map((_, index) => triggerFunction(schema, tables, settings, index)),
      placingFunction(schema, group.type),
      ...guard(schema, settings.eventId, system),
      ...tables.flatMap((table, index) => triggersOf(schema, table, index)),
      ...placingTrigger(schema),
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

/**
 * Neither function catches an error: it stops the subscription at this commit, so that the board is not live, and PostgreSQL
 * tries again every few seconds. Both lock before they read, so that what another has written of these tickets is committed,
 * and seen.
 */
function functions(schema: string, eventId: string, groupType: string, evaluating: string): string[] {
  const event = quoteLiteral(eventId);
  const lock = `perform pg_advisory_xact_lock(hashtext('gates -- connect'), hashtext(${quoteLiteral(schema)}))`;
  const head = `returns void language plpgsql set ${IS_CONNECT} = on ${evaluating} as $$`;
  const place = (where: string): string => `
  insert into ${schema}.placed as p (key, grp) select key, grp from ${schema}.tickets${where} order by key
    on conflict (key) do update set grp = excluded.grp where p.grp <> excluded.grp;
  insert into public.tickets as t (event_id, id, is_valid_ticket, entrou, setor)
    select ${event}, key, is_valid_ticket, entrou, setor from ${schema}.tickets${where} order by key
    on conflict (event_id, id) do update
    set is_valid_ticket = excluded.is_valid_ticket, entrou = excluded.entrou, setor = excluded.setor
    where (t.is_valid_ticket, t.entrou, t.setor)
      is distinct from (excluded.is_valid_ticket, excluded.entrou, excluded.setor);`;
  const twice = (where: string): string =>
    `select v.key from ${schema}.tickets v${where} group by v.key having count(*) > 1 limit 1`;
  return [
    `create or replace function ${schema}.place(groups ${groupType}[]) ${head}
declare
  keys text[];
  elsewhere ${groupType}[];
  twofold text;
begin
  ${lock};
  if cardinality(groups) > ${MANY_GROUPS} then
    set local plan_cache_mode = force_custom_plan;
  end if;
  with gone as (
    delete from ${schema}.placed p where p.grp = any (groups)
      and not exists (select from ${schema}.tickets v where v.grp = p.grp and v.key = p.key) returning p.key)
  delete from public.tickets t using gone where t.event_id = ${event} and t.id = gone.key;
  select array_agg(p.key), array_agg(distinct p.grp) into keys, elsewhere
    from ${schema}.tickets v join ${schema}.placed p on p.key = v.key and p.grp <> v.grp where v.grp = any (groups);
  twofold := coalesce(
    (${twice(' where v.grp = any (groups)')}),
    (select v.key from ${schema}.tickets v where v.grp = any (elsewhere) and v.key = any (keys) limit 1));
  if twofold is not null then
    raise exception 'two rows have the same key, %', twofold;
  end if;${place(' where grp = any (groups)')}
end $$`,
    `create or replace function ${schema}.fill() ${head}
declare twofold text;
begin
  ${lock};
  twofold := (${twice('')});
  if twofold is not null then
    raise exception 'two rows have the same key, %', twofold;
  end if;
  delete from ${schema}.placed p where not exists (select from ${schema}.tickets v where v.key = p.key);${place('')}
  delete from public.tickets t where event_id = ${event} and not exists (select from ${schema}.placed p where p.key = t.id);
end $$`,
  ];
}

/**
 * Refuses what anybody else writes of these tickets, or in a copy: it would be live, and not what the source has. What
 * replication applies does not fire these triggers.
 */
function guard(schema: string, eventId: string, system: string): string[] {
  const event = quoteLiteral(eventId);
  const run = `execute function ${schema}.guard()`;
  return [
    `create or replace function ${schema}.guard() returns trigger language plpgsql ${SETTINGS} as $$
begin
  if current_setting('${IS_CONNECT}', true) = 'on' then
    return coalesce(new, old);
  elsif tg_level = 'ROW' then
    if (${event} in (old.event_id, new.event_id)) is not true then
      return coalesce(new, old);
    end if;
  end if;
  raise exception using message = ${quoteLiteral(`"connect" brings the tickets of the event ${eventId} from ${system}: change them there, or end that by "connect --remove"`)};
end $$`,
    `create or replace trigger ${GUARD} before insert or update or delete on public.tickets for each row ${run}`,
    `create or replace trigger ${quoteIdentifier(`${GUARD_TRIGGER}_truncate`)} before truncate on public.tickets
  for each statement ${run}`,
  ];
}

function triggerFunction(
  schema: string,
  tables: readonly FoundTable[],
  choice: Choice,
  index: number,
): string {
  const group = tables[index]?.spec.group ?? '';
  const groupsOf = (row: string): string =>
    typeof group === 'string'
      ? `select ${row}.${quoteIdentifier(group)}`
      : group(row, namesOf(tables), choice);
  return `create or replace function ${schema}.of_table_${index}() returns trigger language plpgsql
  ${SETTINGS} as $$
declare begins boolean := current_setting('${IS_WAITING}', true) is distinct from 'on';
begin
  if tg_op = 'TRUNCATE' and tg_when = 'BEFORE' then
    -- What waits for the commit finds its rows no more after this.
    set constraints all immediate;
    set constraints all deferred;
  elsif tg_op = 'TRUNCATE' then
    perform ${schema}.fill();
  else
    -- Before the insert: where triggers are immediate, it places them.
    perform set_config('${IS_WAITING}', 'on', true);
    insert into ${schema}.waiting (grp, is_first)
      select of.grp, begins and row_number() over () = 1 from (${groupsOf('old')} union ${groupsOf('new')}) of (grp);
    if begins and not found then
      perform set_config('${IS_WAITING}', '', true);
    end if;
  end if;
  return null;
end $$`;
}

/** Places all groups of a commit at once. */
function placingFunction(schema: string, groupType: string): string {
  return `create or replace function ${schema}.place_waiting() returns trigger language plpgsql ${SETTINGS} as $$
declare groups ${groupType}[];
begin
  perform set_config('${IS_WAITING}', '', true);
  with taken as (delete from ${schema}.waiting returning grp)
    select array_agg(distinct grp) filter (where grp is not null) into groups from taken;
  perform ${schema}.place(groups);
  return null;
end $$`;
}

/** It is deferred by triggers that run at the commit, so it runs after all of those. */
function placingTrigger(schema: string): string[] {
  const waiting = `${schema}.waiting`;
  return [
    `drop trigger if exists ${PLACING} on ${waiting}`,
    `create constraint trigger ${PLACING} after insert on ${waiting}
  deferrable initially deferred for each row when (new.is_first) execute function ${schema}.place_waiting()`,
    `alter table ${waiting} enable always trigger ${PLACING}`,
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

/** The triggers run at the commit of what replication writes: then all rows of a transaction are there. */
function triggersOf(schema: string, table: FoundTable, index: number): string[] {
  const copy = tableName(table);
  const run = `execute function ${schema}.of_table_${index}()`;
  return [
    `create or replace trigger ${GUARD} before insert or update or delete or truncate on ${copy}
  for each statement execute function ${schema}.guard()`,
    `drop trigger if exists ${TRIGGER} on ${copy}`,
    `create constraint trigger ${TRIGGER} after insert or update or delete on ${copy}
  deferrable initially deferred for each row ${run}`,
    `create or replace trigger ${BEFORE_TRUNCATE_TRIGGER} before truncate on ${copy} for each statement ${run}`,
    `create or replace trigger ${TRUNCATE_TRIGGER} after truncate on ${copy} for each statement ${run}`,
    `alter table ${copy} enable always trigger ${TRIGGER}, enable always trigger ${TRUNCATE_TRIGGER},
  enable always trigger ${BEFORE_TRUNCATE_TRIGGER}`,
  ];
}
