import type postgres from 'postgres';

/** Tickets that are to be marked as entered, or as not entered. */
export interface Marking {
  readonly eventId: string;
  /** Null: any sector. */
  readonly setor: string | null;
  readonly count: number;
  /** What the tickets are marked as. */
  readonly entrou: boolean;
}

/** How many can be marked, up to `count`. */
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

/** How many tickets there are to choose from, marked or not; no more than one is counted. */
export async function countTickets(
  sql: postgres.Sql,
  { eventId, setor }: Pick<Marking, 'eventId' | 'setor'>,
): Promise<number> {
  const rows = await sql`
    select from public.tickets where event_id = ${eventId} and (${setor}::text is null or setor = ${setor}) limit 1`;
  return rows.length;
}

/**
 * In one statement. Tickets that another gate holds at this moment are left to it. Chosen apart: as a part of the join,
 * they may be chosen anew for each ticket, and each time find others than those that are marked by then.
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
    ), marked as (
      update public.tickets t set entrou = ${entrou} from chosen
      where t.event_id = ${eventId} and t.id = chosen.id
      returning t.id
    )
    ${timeMarked(sql, eventId)}`;
  return result.count;
}

/** One commit each. `marked` hears of each after its commit. */
export async function markOneByOne(
  sql: postgres.Sql,
  { eventId, setor, count, entrou }: Marking,
  marked: () => void,
): Promise<void> {
  for (let left = count; left > 0;) {
    const candidates = await sql<{ id: string }[]>`
      select id from public.tickets
      where event_id = ${eventId} and entrou = ${!entrou} and (${setor}::text is null or setor = ${setor})
      limit ${left} for update skip locked`;
    if (candidates.length === 0) return;
    for (const { id } of candidates) {
      // Another gate may have been faster since, or be at it: then the next round finds other tickets.
      const result = await sql`
        with marked as (
          update public.tickets set entrou = ${entrou} where event_id = ${eventId} and id = (
            select id from public.tickets
            where event_id = ${eventId} and id = ${id} and entrou = ${!entrou}
              and (${setor}::text is null or setor = ${setor})
            for update skip locked
          )
          returning id
        )
        ${timeMarked(sql, eventId)}`;
      left -= result.count;
      if (result.count > 0) marked();
    }
  }
}

/** What became of a ticket that was named. */
export type Outcome = 'marked' | 'was so' | 'unknown';

/** Waits for another gate that holds it. */
export async function markTicket(
  sql: postgres.Sql,
  { eventId, entrou }: Pick<Marking, 'eventId' | 'entrou'>,
  id: string,
): Promise<Outcome> {
  const { count } = await sql`
    with marked as (
      update public.tickets set entrou = ${entrou}
      where event_id = ${eventId} and id = ${id} and entrou = ${!entrou}
      returning id
    )
    ${timeMarked(sql, eventId)}`;
  if (count > 0) return 'marked';
  const [ticket] = await sql`select from public.tickets where event_id = ${eventId} and id = ${id}`;
  return ticket ? 'was so' : 'unknown';
}

/**
 * The end of a statement: notes for the tickets in its `marked` that they are so from now on, as a message to `listen` does
 * that says when it was sent, so that an older message sent again does not undo it.
 */
function timeMarked(sql: postgres.Sql, eventId: string): postgres.PendingQuery<postgres.Row[]> {
  return sql`
    insert into public.ticket_times as timed (event_id, id, at)
    select ${eventId}, id, clock_timestamp() from marked order by id
    on conflict (event_id, id) do update set at = excluded.at`;
}
