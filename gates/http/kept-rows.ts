import type postgres from 'postgres';
import type { Reading } from './apply-reading.ts';
import { CLOCK_TOLERANCE_MS, MAX_KEPT } from './limits.ts';
import type { KeptReason } from './request-outcome.ts';
import { inChunks, inUtc } from './ticket-rows.ts';

/** A reading of a ticket that does not exist yet. */
export interface KeptReading extends Omit<Reading, 'isAhead'> {
  readonly id: string;
  readonly gate: string;
  readonly reason: KeptReason;
}

/**
 * Stores readings until their tickets come: a row for each, which the same one sent again does not repeat. `kept_at` is
 * their order, by the database's clock: without `at` the last of the same ones decides, with `at` the first, as the others
 * change nothing.
 */
export async function keepReadings(
  sql: postgres.Sql,
  eventId: string,
  readings: readonly KeptReading[],
): Promise<void> {
  for (const { text } of inChunks(withoutRepeats(readings))) {
    await sql`
      insert into public.kept_readings as kept
        (event_id, id, at, received_at, kept_at, is_valid_ticket, entrou, setor, gate, reason)
      select ${eventId}, id, at, "receivedAt", now() + nth * interval '1 microsecond', "isValid", entrou, setor, gate, reason
      from json_to_recordset(${text}::text::json) as reading (
        id text, at timestamptz, "receivedAt" timestamptz, nth int, "isValid" boolean, entrou boolean, setor text,
        gate text, reason text)
      order by id collate "C", at, nth
      on conflict (event_id, id, at, is_valid_ticket, entrou, setor) do update set
        received_at = case when kept.at is null then excluded.received_at else kept.received_at end,
        kept_at = case when kept.at is null then excluded.kept_at else kept.kept_at end,
        gate = excluded.gate,
        reason = excluded.reason`;
  }
}

/** Drops the oldest readings beyond the limit, of the event that has most. Returns the numbers dropped, by event. */
export async function dropBeyondLimit(sql: postgres.Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ eventId: string; count: number }[]>`
    with dropped as (
      delete from public.kept_readings where ctid = any (array(
        select ctid from (
          select ctid, kept_at, count(*) over (partition by event_id) as share from public.kept_readings
        ) kept
        order by share desc, kept_at
        limit greatest(0, (select count(*) from public.kept_readings) - ${MAX_KEPT}::int)))
      returning event_id
    )
    select event_id as "eventId", count(*)::int as count from dropped group by event_id`;
  return new Map(rows.map(({ eventId, count }) => [eventId, count]));
}

/** A statement may insert or update a row only once. `nth` is the place of a reading among all of them. */
function withoutRepeats(readings: readonly KeptReading[]): (KeptReading & { readonly nth: number })[] {
  const rows = new Map<string, KeptReading & { readonly nth: number }>();
  for (const [nth, reading] of readings.entries()) {
    const { id, at, isValid, entrou, setor } = reading;
    const content = JSON.stringify([id, at, isValid, entrou, setor]);
    if (at === undefined || !rows.has(content)) rows.set(content, { ...reading, nth });
  }
  return [...rows.values()];
}

/** Notes that the database refuses to apply the kept readings of these tickets. Returns the ids of which that is new. */
export async function noteRefusedKept(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<string[]> {
  const reason: KeptReason = 'database';
  const rows = await sql<{ id: string }[]>`
    update public.kept_readings set reason = ${reason}
    where event_id = ${eventId} and reason <> ${reason}
      and id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))
    returning id`;
  return rows.map(({ id }) => id);
}

/** Deletes and returns the kept readings of these tickets, in the order of their arrival. */
export async function takeKept(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<(Reading & { readonly id: string })[]> {
  const taken: (Reading & { readonly id: string })[] = [];
  for (const { text } of inChunks(ids)) {
    const rows = await sql<(Reading & { readonly id: string })[]>`
      with taken as (
        delete from public.kept_readings
        where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))
        returning *, coalesce(at > received_at + ${CLOCK_TOLERANCE_MS}::int * interval '1 ms', false) as is_ahead
      )
      select id, ${inUtc(sql, 'at')} as at, ${inUtc(sql, 'received_at')} as "receivedAt",
        is_ahead as "isAhead", is_valid_ticket as "isValid", entrou, setor
      from taken order by kept_at`;
    for (const { at, isValid, entrou, setor, ...row } of rows) {
      taken.push({
        ...row,
        at: at ?? undefined,
        isValid: isValid ?? undefined,
        entrou: entrou ?? undefined,
        setor: setor ?? undefined,
      });
    }
  }
  return taken;
}
