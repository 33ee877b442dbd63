import type postgres from 'postgres';
import { permittedCapacities, permittedSectors } from '../../../domain/permitted-capacity.ts';
import type { Venue } from '../../../domain/venue.ts';
import { printable } from '../../cli/errors.ts';

/** A sector of the venue with more valid tickets than people it is permitted to hold. */
export interface OverfullSector {
  readonly code: string;
  readonly name: string;
  readonly valid: number;
  readonly capacity: number;
}

/**
 * Finds the overfull sectors as of after the import. The result is the same before and after `incoming` and `correction`
 * are applied.
 */
export async function findOverfull(
  sql: postgres.Sql,
  eventId: string,
  venue: Venue,
): Promise<OverfullSector[]> {
  const rows = await sql<{ setor: string; valid: number }[]>`
    select setor, count(*)::int as valid from (
      select coalesce(c.setor, t.setor) as setor, coalesce(c.is_valid_ticket, t.is_valid_ticket) as is_valid_ticket
      from public.tickets t left join correction c on c.id = t.id
      where t.event_id = ${eventId}
      union all
      select i.setor, coalesce(i.is_valid_ticket, true) from incoming i
      where i.setor is not null
        and not exists (select from public.tickets t where t.event_id = ${eventId} and t.id = i.id)
    ) then_there where is_valid_ticket group by setor`;
  return overfullSectors(sql, eventId, venue, new Map(rows.map(({ setor, valid }) => [setor, valid])));
}

/** `valid` counts the valid tickets by code. A sector without a permitted capacity is never overfull. */
export async function overfullSectors(
  sql: postgres.Sql,
  eventId: string,
  venue: Venue,
  valid: ReadonlyMap<string, number>,
): Promise<OverfullSector[]> {
  const documents = await sql<{ code: string; data: unknown }[]>`
    select code, data from public.sectors where event_id = ${eventId}`;
  const sectors = permittedSectors(venue);
  const capacities = permittedCapacities(sectors, documents);
  return sectors.flatMap(({ code, name, codes }, index) => {
    const capacity = capacities[index] ?? null;
    const count = codes.reduce((sum, one) => sum + (valid.get(one) ?? 0), 0);
    return capacity !== null && count > capacity ? [{ code, name, valid: count, capacity }] : [];
  });
}

export function describeOverfull({ name, valid, capacity }: OverfullSector): string {
  return `${printable(name)} has ${valid} valid tickets, and room for ${capacity}: the desk alarms when it is full.`;
}
