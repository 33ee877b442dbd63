import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { DEFAULT_VENUE, knownCodes, type Venue } from '../../domain/venue.ts';

export interface Sale {
  /** Number of the first ticket; 1 where it is absent. */
  readonly from?: number;
  /** Number of the last. */
  readonly to: number;
  /** Which holders have entered when it begins: those of even numbers, or nobody. */
  readonly entered: 'none' | 'half';
  /** Over whose codes they are spread. */
  readonly venue?: Venue | undefined;
}

/** One ticket in so many was cancelled after the sale: an even one. */
const INVALID_EVERY = 64;

/** The id of a ticket: of one length, so that every update writes as much. */
export function ticketId(number: number): string {
  return `b${String(number).padStart(8, '0')}`;
}

/** Puts tickets in by one statement, over all codes of the venue, and leaves the table as autovacuum would. */
export async function sellTickets(
  admin: postgres.Sql,
  { from = 1, to, entered, venue = DEFAULT_VENUE }: Sale,
): Promise<void> {
  const codes = [...knownCodes(venue)];
  const list = codes.map((code) => `'${code}'`).join(',');
  // Neither 2 nor 64 divides the thirteen sectors: each sector gets its share of both.
  await admin.unsafe(`
    insert into events (id) values ('${DEFAULT_EVENT_ID}') on conflict do nothing;
    insert into tickets (event_id, id, is_valid_ticket, entrou, setor)
    select '${DEFAULT_EVENT_ID}', 'b' || lpad(n::text, 8, '0'), n % ${INVALID_EVERY} <> 0,
      ${entered === 'half'} and n % 2 = 0, (array[${list}])[1 + n % ${codes.length}]
    from generate_series(${from}, ${to}) n`);
  await admin`vacuum analyze tickets`;
}

/** A table that is new, whatever was done to the one before it. */
export async function sellAnew(admin: postgres.Sql, sale: Sale): Promise<void> {
  await admin`truncate tickets`;
  await sellTickets(admin, sale);
  // What is measured next must not pay for the writes before it.
  await admin`checkpoint`;
}

/** A gate's transaction: lets the holder of this ticket in, who has not entered. */
export async function admit(gate: postgres.Sql, ticket: number): Promise<void> {
  const id = ticketId(ticket);
  const { count } = await gate`
    update public.tickets set entrou = true
    where event_id = ${DEFAULT_EVENT_ID} and id = ${id} and not entrou`;
  if (count !== 1) throw new Error(`ticket ${id} is missing, or has entered before`);
}
