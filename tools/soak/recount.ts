import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { type Counts, Tally } from '../../domain/tally.ts';

/** The counts as SQL sees them now: what every screen must show. */
export async function recount(sql: postgres.Sql): Promise<Counts> {
  const rows = await sql<{ setor: string; entrou: boolean; valid: boolean; count: string }[]>`
    select setor, entrou, is_valid_ticket as valid, count(*) as count
    from tickets where event_id = ${DEFAULT_EVENT_ID} group by 1, 2, 3`;
  const tally = new Tally();
  for (const { setor, entrou, valid, count } of rows) {
    tally.add({ setor, entrou, isValidTicket: valid }, Number(count));
  }
  return tally.counts();
}
