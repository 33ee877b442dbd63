import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import type { SectorDocument } from '../../domain/live-message.ts';
import { SECTOR_CODES } from '../../domain/sector.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import type { Snapshot, TicketGroup } from './ticket-feed.ts';

/**
 * Counts all that was committed when the snapshot `name` was exported, and reads the catalogue as it was then.
 * The database groups the tickets: what arrives here does not grow with their number. `sql`: one session, and ours
 * alone.
 */
export async function readSnapshot(
  sql: postgres.Sql,
  name: string,
  eventId: string,
): Promise<{ snapshot: Snapshot; catalogue: Catalogue }> {
  // Not sql.begin: where the connection breaks within it, the library writes its rollback to no socket and brings the
  // process down. A session that fails in here is ended, and its transaction with it.
  await sql.unsafe('begin isolation level repeatable read read only');
  await sql.unsafe(`set transaction snapshot '${name}'`);
  const catalogue = await readCatalogue(sql);
  const groups = await readGroups(sql);
  const sectors = await readSectors(sql, eventId);
  await sql.unsafe('commit');
  return { snapshot: { epoch: randomBytes(6).toString('hex'), groups, sectors }, catalogue };
}

async function readSectors(sql: postgres.Sql, eventId: string): Promise<SectorDocument[]> {
  const rows = await sql<SectorDocument[]>`
    select code, data from public.sectors where event_id = ${eventId} order by code`;
  return rows.map(({ code, data }) => ({ code, data }));
}

async function readGroups(sql: postgres.Sql): Promise<TicketGroup[]> {
  // Codes that are no sector become one group: there may be as many of them as tickets. Only once all are grouped, as
  // to look at the code of each ticket takes half as long again.
  const rows = await sql<
    { eventId: string; isValidTicket: boolean; entrou: boolean; setor: string; count: string }[]
  >`
    with codes as (
      select event_id, is_valid_ticket, entrou, setor, count(*) as count from public.tickets group by 1, 2, 3, 4)
    select event_id as "eventId", is_valid_ticket as "isValidTicket", entrou,
      case when setor in ${sql(SECTOR_CODES)} then setor else '' end as setor, sum(count) as count
    from codes group by 1, 2, 3, 4`;
  return rows.map(({ eventId, count, ...ticket }) => ({ eventId, ticket, count: Number(count) }));
}
