import type postgres from 'postgres';
import type { KeptReason } from './request-outcome.ts';
import { inChunks } from './ticket-rows.ts';

/** A kept reading as people look at it. A field that it does not name is null. */
export interface KeptRow {
  readonly eventId: string;
  readonly id: string;
  /** `at` of the reading, else its arrival: Unix milliseconds. */
  readonly atMs: number;
  /** When it was last written, to the microsecond. */
  readonly keptAt: string;
  readonly entrou: boolean | null;
  readonly isValid: boolean | null;
  readonly setor: string | null;
  readonly gate: string;
  readonly reason: KeptReason;
  /** A ticket of the event whose id differs in upper and lower case alone. */
  readonly similar: string | null;
}

/** Returns the kept readings of an event, else of all; with `ids` those of these tickets. The first come first. */
export async function listKept(
  sql: postgres.Sql,
  onlyEvent: string | undefined,
  ids: readonly string[] | undefined,
): Promise<readonly KeptRow[]> {
  return sql<KeptRow[]>`
    select event_id as "eventId", id, kept_at::text as "keptAt", entrou, is_valid_ticket as "isValid", setor, gate, reason,
      (extract(epoch from coalesce(at, received_at)) * 1000)::float8 as "atMs", similar_id as similar
    from public.kept_readings left join ${similarTickets(sql)} similar_tickets using (event_id, id)
    where ${onlyEvent === undefined ? sql`true` : sql`event_id = ${onlyEvent}`}
      and ${ids === undefined ? sql`true` : sql`id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`}
    order by kept_at, at, id`;
}

/** SQL of a table that has, for kept ids (event_id, id), a ticket whose id differs in upper and lower case alone (similar_id). */
export function similarTickets(sql: postgres.Sql) {
  return sql`(
    select kept.event_id, kept.id, min(ticket.id) as similar_id
    from (select distinct event_id, id from public.kept_readings) kept
      join public.tickets ticket on ticket.event_id = kept.event_id and lower(ticket.id) = lower(kept.id)
    where ticket.id <> kept.id group by kept.event_id, kept.id)`;
}

/** Deletes these readings, unless they were written again or are being applied. Returns how many it deleted. */
export async function discardKept(sql: postgres.Sql, rows: readonly KeptRow[]): Promise<number> {
  let discarded = 0;
  for (const { text } of inChunks(rows.map(({ eventId, id, keptAt }) => ({ eventId, id, keptAt })))) {
    const { count } = await sql`
      delete from public.kept_readings where ctid = any (array(
        select ctid from public.kept_readings
        where (event_id, id, kept_at) in (
          select "eventId", id, "keptAt"
          from json_to_recordset(${text}::text::json) as listed ("eventId" text, id text, "keptAt" timestamptz))
        for update skip locked))`;
    discarded += count;
  }
  return discarded;
}
