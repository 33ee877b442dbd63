import type postgres from 'postgres';

/** Counts the tickets of an event with one sector code. */
export interface CodeCounts {
  readonly setor: string;
  readonly tickets: number;
  readonly valid: number;
  readonly entered: number;
}

export function describeTickets(count: number): string {
  return count === 1 ? '1 ticket' : `${count} tickets`;
}

/** Returns the code with the most tickets first. */
export async function countCodes(sql: postgres.Sql, eventId: string): Promise<CodeCounts[]> {
  const rows = await sql<CodeCounts[]>`
    select setor, count(*)::int as tickets, (count(*) filter (where is_valid_ticket))::int as valid,
      (count(*) filter (where entrou))::int as entered
    from public.tickets where event_id = ${eventId} group by setor order by count(*) desc, setor`;
  return [...rows];
}
