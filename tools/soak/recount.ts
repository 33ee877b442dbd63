import type postgres from 'postgres';
import { SECTOR_CODES } from '../../domain/venue.ts';
import type { Counts } from '../../domain/event-state.ts';

/** The counts of one event as SQL sees them now: what every screen must show. */
export async function recount(
  sql: postgres.Sql,
  eventId: string,
): Promise<Counts & { readonly valid: number }> {
  const [row] = await sql<[{ total: string; valid: string }]>`
    select count(*) filter (where entrou) as total, count(*) filter (where is_valid_ticket) as valid
    from tickets where event_id = ${eventId}`;
  const rows = await sql<{ setor: string; count: string }[]>`
    select setor, count(*) as count from tickets where event_id = ${eventId} and entrou group by setor`;
  const bySector = new Map(rows.map(({ setor, count }) => [setor, Number(count)]));
  const sectors = Object.fromEntries(SECTOR_CODES.map((code) => [code, bySector.get(code) ?? 0]));
  const total = Number(row.total);
  const others = total - Object.values(sectors).reduce((sum, count) => sum + count, 0);
  return { total, sectors, others, valid: Number(row.valid) };
}
