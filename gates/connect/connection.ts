import { quoteLiteral } from '../../database/with-connection.ts';
import type postgres from 'postgres';
import { ownView } from './systems/own-view.ts';
import { ALF_IO } from './systems/alf-io.ts';
import { HI_EVENTS } from './systems/hi-events.ts';
import { PRETIX } from './systems/pretix.ts';
import { type FoundTable, namesOf } from './find-tables.ts';
import type { System } from './system.ts';

export const SYSTEMS: readonly System[] = [ALF_IO, PRETIX, HI_EVENTS];

/** What an operator has chosen: kept as the comment of the connection's schema. */
export interface Settings {
  /** The name of a known system; `undefined` for a view of the operator's own. */
  readonly system: string | undefined;
  readonly view: { readonly query: string; readonly tables: string } | undefined;
  readonly event: string;
  readonly list: string | undefined;
  /** The code of the sector for each category that has another; null: its tickets are left out. */
  readonly sectors: Readonly<Record<string, string | null>>;
  /** The event of the board. */
  readonly eventId: string;
}

/** A connection of this database with a ticketing system. */
export interface Connection {
  /** The name of its schema, subscription, publication and slot. */
  readonly name: string;
  readonly settings: Settings;
}

const MARK = 'gates -- connect: ';

export function formatSettings(settings: Settings): string {
  return MARK + JSON.stringify(settings);
}

/** Returns what a connection has beside its event and list that is not as it is wanted now, in words. */
export function differencesOf(there: Settings, wanted: Settings): string[] {
  const option = (id: string, { sectors }: Settings): string | undefined =>
    sectors[id] === undefined ? undefined : `--category ${id}=${sectors[id] ?? ''}`;
  const ids = new Set([...Object.keys(there.sectors), ...Object.keys(wanted.sectors)]);
  const differences = [...ids].flatMap((id) => {
    const [is, wants] = [option(id, there), option(id, wanted)];
    if (is === wants) return [];
    if (is === undefined) return [`without ${wants}`];
    return [wants === undefined ? `with ${is}` : `with ${is}, not ${wants}`];
  });
  if (there.view?.query !== wanted.view?.query) differences.push('with another query');
  if (there.view?.tables !== wanted.view?.tables) differences.push(`with --tables "${there.view?.tables}"`);
  if (there.eventId !== wanted.eventId)
    differences.push(`for --into ${there.eventId}, not ${wanted.eventId}`);
  return differences;
}

/** Returns the connection that this database has, or has half. */
export async function findConnection(sql: postgres.Sql): Promise<Connection | undefined> {
  const [row] = await sql<{ name: string; comment: string }[]>`
    select n.nspname as name, d.description as comment
    from pg_namespace n join pg_description d on d.objoid = n.oid and d.classoid = 'pg_namespace'::regclass
    where starts_with(d.description, ${MARK})`;
  return row && { name: row.name, settings: JSON.parse(row.comment.slice(MARK.length)) as Settings };
}

/** Returns a name that no other database has at the same source. */
export async function newName(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<[{ name: string }]>`
    select 'triagem_' || left(md5(system_identifier || ' ' || current_database()), 12) as name
    from pg_control_system()`;
  return row.name;
}

export function systemOf({ system, view }: Settings): System {
  const known = SYSTEMS.find(({ name }) => name === system);
  if (known) return known;
  if (!view) throw new Error(`the connection is with "${system}", which this version does not know`);
  return ownView(view.query, view.tables);
}

/** Returns the query of tickets as the board takes them; it is the same at the source and here. */
export function ticketsQuery(settings: Settings, tables: readonly FoundTable[]): string {
  const { event, list, sectors } = settings;
  const view = systemOf(settings).view(namesOf(tables), { event, list });
  const cases = Object.entries(sectors)
    .filter(([, sector]) => sector !== null)
    .map(([category, sector]) => `when ${quoteLiteral(category)} then ${quoteLiteral(sector ?? '')}`);
  const sector = cases.length === 0 ? 'category' : `case category ${cases.join(' ')} else category end`;
  const leftOut = Object.entries(sectors).filter(([, code]) => code === null);
  const where =
    leftOut.length === 0
      ? ''
      : `\n  where category not in (${leftOut.map(([category]) => quoteLiteral(category)).join(', ')})`;
  // The table of tickets takes ids of 128 bytes and sectors of 32; a sector that is longer is no code of a venue. Bytes are those
  // of UTF-8, since the source may have another encoding.
  return `select case when octet_length(convert_to(key, 'UTF8')) > 128 then md5(convert_to(key, 'UTF8')) else key end as key, grp, is_valid_ticket, entrou,
    case when octet_length(convert_to(sector, 'UTF8')) > 32 then '' else sector end as setor
  from (select key, grp, is_valid_ticket, entrou, ${sector} as sector from (
    select v.key::text as key, v.grp, coalesce(v.is_valid_ticket, false) as is_valid_ticket,
      coalesce(v.entrou, false) as entrou, coalesce(v.setor::text, '') as category
    from (${view.trim()}) v) categorized${where}) in_sectors`;
}
