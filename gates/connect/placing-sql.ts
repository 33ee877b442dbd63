import { CONNECT_TRIGGER, GUARD_TRIGGER, PLACING_TRIGGER } from '../../domain/connection-marks.ts';
import { quoteIdentifier, quoteLiteral } from '../../database/with-connection.ts';
import type { Connection } from './connection.ts';
import { type FoundTable, namesOf, tableName } from './find-tables.ts';

/** Without the last of these, queries are planned anew at each call, which takes most of the time of a commit. */
export const FUNCTION_SETTINGS =
  'set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan';
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

/** What keeps the tickets of one connection in step with the copied tables. */
interface Placing extends Pick<Connection, 'settings'> {
  /** The schema of the connection, quoted. */
  readonly schema: string;
  /** What messages call the source. */
  readonly system: string;
  readonly groupType: string;
  /** The settings of functions that evaluate the query. */
  readonly evaluating: string;
  readonly tables: readonly FoundTable[];
}

/**
 * Returns the statements that make functions and triggers, also in place of those of an earlier version: each row that changes
 * notes its groups, and one trigger places all groups of a commit.
 */
export function placing({ schema, settings, system, groupType, evaluating, tables }: Placing): string[] {
  const { eventId } = settings;
  return [
    `create unlogged table if not exists ${schema}.waiting (grp ${groupType}, is_first boolean not null)`,
    ...functions(schema, eventId, groupType, evaluating),
    ...tables.map((_, index) => triggerFunction(schema, tables, settings, index)),
    placingFunction(schema, groupType),
    ...guard(schema, eventId, system),
    ...tables.flatMap((table, index) => triggersOf(schema, table, index)),
    ...placingTrigger(schema),
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
export function guard(schema: string, eventId: string, system: string): string[] {
  const event = quoteLiteral(eventId);
  const run = `execute function ${schema}.guard()`;
  return [
    `create or replace function ${schema}.guard() returns trigger language plpgsql ${FUNCTION_SETTINGS} as $$
begin
  if current_setting('${IS_CONNECT}', true) = 'on' then
    return coalesce(new, old);
  elsif tg_level = 'ROW' then
    if (${event} in (lower(old.event_id), lower(new.event_id))) is not true then
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
  choice: Connection['settings'],
  index: number,
): string {
  const group = tables[index]?.spec.group ?? '';
  const groupsOf = (row: string): string =>
    typeof group === 'string'
      ? `select ${row}.${quoteIdentifier(group)}`
      : group(row, namesOf(tables), choice);
  return `create or replace function ${schema}.of_table_${index}() returns trigger language plpgsql
  ${FUNCTION_SETTINGS} as $$
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
  return `create or replace function ${schema}.place_waiting() returns trigger language plpgsql ${FUNCTION_SETTINGS} as $$
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
