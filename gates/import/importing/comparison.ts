import type postgres from 'postgres';

/** The difference between `incoming` and the event's tickets. A column that the file lacks is no difference. */
export interface Comparison {
  /** Counts tickets that are only in the file. */
  readonly added: number;
  /** Counts tickets whose values differ. */
  readonly different: number;
}

export async function compareTickets(sql: postgres.Sql, eventId: string): Promise<Comparison> {
  const [row] = await sql<[{ added: number; different: number }]>`
    select count(*) filter (where t.id is null and i.setor is not null)::int as added,
      count(*) filter (where t.id is not null and ${isDifferent(sql)})::int as different
    from incoming i left join public.tickets t on t.event_id = ${eventId} and t.id = i.id`;
  return row;
}

/** Ids that the event does not have, and for which the file has no sector; `first` has up to 20. */
export interface UnknownTickets {
  readonly count: number;
  readonly first: readonly string[];
}

export async function findUnknown(sql: postgres.Sql, eventId: string): Promise<UnknownTickets> {
  const rows = await sql<{ id: string; all: number }[]>`
    select id, (count(*) over ())::int as all from incoming i
    where setor is null and not exists (select from public.tickets t where t.event_id = ${eventId} and t.id = i.id)
    order by line limit 20`;
  return { count: rows[0]?.all ?? 0, first: rows.map(({ id }) => id) };
}

/** Returns a ticket of another event that keeps one of the file from being inserted, as this table takes each ID once. */
export async function findTakenId(
  sql: postgres.Sql,
  eventId: string,
): Promise<{ readonly id: string; readonly eventId: string } | undefined> {
  const [row] = await sql<{ id: string; eventId: string }[]>`
    select t.id, t.event_id as "eventId" from incoming i join public.tickets t on t.id = i.id
    where i.setor is not null and t.event_id <> ${eventId} and exists (
      select from pg_index x join pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0]
      where x.indrelid = 'public.tickets'::regclass and x.indisunique and x.indnkeyatts = 1 and x.indpred is null
        and a.attname = 'id')
    order by i.line limit 1`;
  return row;
}

export async function countDifferent(sql: postgres.Sql, eventId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from incoming i join public.tickets t on t.event_id = ${eventId} and t.id = i.id
    where ${isDifferent(sql)}`;
  return row.count;
}

function isDifferent(sql: postgres.Sql) {
  return sql`(t.is_valid_ticket, t.entrou, t.setor)
    is distinct from (coalesce(i.is_valid_ticket, t.is_valid_ticket), coalesce(i.entrou, t.entrou), coalesce(i.setor, t.setor))`;
}
