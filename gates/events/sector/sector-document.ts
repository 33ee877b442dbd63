import type postgres from 'postgres';

/** A row of `public.sectors`; `capacity` is unchecked JSON. */
export interface SectorDocument {
  readonly code: string;
  readonly isObject: boolean;
  readonly capacity: unknown;
}

export async function readSectorDocuments(sql: postgres.Sql, eventId: string): Promise<SectorDocument[]> {
  const rows = await sql<SectorDocument[]>`
    select code, jsonb_typeof(data) = 'object' as "isObject", data -> 'capacity' as capacity
    from public.sectors where event_id = ${eventId} order by code`;
  return [...rows];
}
