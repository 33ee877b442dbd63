import type postgres from 'postgres';

/** Selects tickets to mark as entered, or as not entered. */
export interface Marking {
  readonly eventId: string;
  /** Null stands for any sector. */
  readonly setor: string | null;
  readonly count: number;
  readonly entrou: boolean;
}

/** Counts the tickets that can be marked, up to `count`. */
export async function countMarkable(
  sql: postgres.Sql,
  { eventId, setor, count, entrou }: Marking,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from (
      select from public.tickets
      where event_id = ${eventId} and entrou = ${!entrou} and (${setor}::text is null or setor = ${setor})
      limit ${count}
    ) markable`;
  return row.count;
}

/** Whether there is any ticket, marked or not. */
export async function hasTickets(
  sql: postgres.Sql,
  { eventId, setor }: Pick<Marking, 'eventId' | 'setor'>,
): Promise<boolean> {
  const rows = await sql`
    select from public.tickets where event_id = ${eventId} and (${setor}::text is null or setor = ${setor}) limit 1`;
  return rows.length > 0;
}

/**
 * Marks tickets in one statement, and returns their number. It skips tickets that another gate has locked. `materialized`
 * keeps PostgreSQL from choosing again for each row of the join.
 */
export async function markTogether(
  sql: postgres.Sql,
  { eventId, setor, count, entrou }: Marking,
): Promise<number> {
  const result = await sql`
    with chosen as materialized (
      select id from public.tickets
      where event_id = ${eventId} and entrou = ${!entrou} and (${setor}::text is null or setor = ${setor})
      limit ${count} for update skip locked
    ), changed as (
      update public.tickets t set entrou = ${entrou} from chosen
      where t.event_id = ${eventId} and t.id = chosen.id
      returning t.id, t.entrou
    )
    ${timeMarked(sql, eventId, entrou)}`;
  return result.count;
}

/** Marks tickets with a commit for each, and calls `marked` after it. Those that a trigger keeps as they are are left. */
export async function markOneByOne(
  sql: postgres.Sql,
  { eventId, setor, count, entrou }: Marking,
  marked: () => void,
): Promise<void> {
  const tried: string[] = [];
  for (let left = count; left > 0;) {
    const candidates = await sql<{ id: string }[]>`
      select id from public.tickets
      where event_id = ${eventId} and entrou = ${!entrou} and (${setor}::text is null or setor = ${setor})
        and id not in (select json_array_elements_text(${JSON.stringify(tried)}::text::json))
      limit ${left} for update skip locked`;
    if (candidates.length === 0) return;
    for (const { id } of candidates) {
      // Another gate may have marked or locked the ticket meanwhile: then the next round finds others.
      const result = await sql`
        with changed as (
          update public.tickets set entrou = ${entrou} where event_id = ${eventId} and id = (
            select id from public.tickets
            where event_id = ${eventId} and id = ${id} and entrou = ${!entrou}
              and (${setor}::text is null or setor = ${setor})
            for update skip locked
          )
          returning id, entrou
        )
        ${timeMarked(sql, eventId, entrou)}`;
      left -= result.count;
      if (result.count > 0) marked();
      else tried.push(id);
    }
  }
}

/** `refused`: a trigger keeps it as it is. */
export type Outcome = 'marked' | 'was so' | 'refused' | 'unknown';

/** Waits for another gate that has locked the ticket. It is timed also where it was so, as a message is. */
export async function markTicket(
  sql: postgres.Sql,
  { eventId, entrou }: Pick<Marking, 'eventId' | 'entrou'>,
  id: string,
): Promise<Outcome> {
  const [ticket] = await sql<{ wasSo: boolean; isSo: boolean }[]>`
    with locked as materialized (
      select id, entrou from public.tickets where event_id = ${eventId} and id = ${id} for update
    ), updated as (
      update public.tickets t set entrou = ${entrou} from locked
      where t.event_id = ${eventId} and t.id = locked.id and locked.entrou = ${!entrou}
      returning t.id, t.entrou
    ), changed as (
      select id, entrou from locked where entrou = ${entrou} union all select id, entrou from updated
    ), timed as (
      ${timeMarked(sql, eventId, entrou)}
    )
    select entrou = ${entrou} as "wasSo", exists (select from changed where entrou = ${entrou}) as "isSo" from locked`;
  if (!ticket) return 'unknown';
  if (ticket.wasSo) return 'was so';
  return ticket.isSo ? 'marked' : 'refused';
}

/**
 * Ends a statement: records the current time for the tickets in its `changed` that are as wanted, like a message to `listen` with a time, so
 * that an older message that is sent again does not undo it; a time right after the newest one where the database's clock
 * is behind the one by which that was sent.
 */
function timeMarked(
  sql: postgres.Sql,
  eventId: string,
  entrou: boolean,
): postgres.PendingQuery<postgres.Row[]> {
  return sql`
    insert into public.ticket_times as timed (event_id, id, at)
    select ${eventId}, id, clock_timestamp() from changed where entrou = ${entrou} order by id
    on conflict (event_id, id) do update set at = greatest(excluded.at, timed.at + interval '1 microsecond')`;
}
