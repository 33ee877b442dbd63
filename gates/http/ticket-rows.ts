import type postgres from 'postgres';
import type { Ticket } from './apply-messages.ts';
import type { TicketMessage } from './ticket-message.ts';

/** Lists go over as one JSON text: one parameter, whatever their length. */

type Row = Pick<Ticket, 'id' | 'isValid' | 'entrou' | 'setor'>;

/**
 * The tickets of this event that have these ids, by id, as they are once nobody else holds them. Everybody locks in the
 * order of the ids, so that no two of us wait for each other.
 */
export async function lockTickets(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<Map<string, Ticket>> {
  if (ids.length === 0) return new Map();
  const rows = await sql<Row[]>`
    select id, is_valid_ticket as "isValid", entrou, setor from public.tickets
    where event_id = ${eventId} and id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))
    order by id collate "C" for update`;
  return new Map(rows.map((row) => [row.id, asStored(row)]));
}

function asStored({ id, isValid, entrou, setor }: Row): Ticket {
  return { id, isValid, entrou, setor, at: undefined, isChanged: false, isNewlyTimed: false };
}

/** Only while the tickets are locked are these the newest times. */
export async function readTimes(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly at: string }[]> {
  if (ids.length === 0) return [];
  return sql<{ id: string; at: string }[]>`
    select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from public.ticket_times
    where event_id = ${eventId} and id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`;
}

/** Returns those that were not there. */
export async function insertTickets(
  sql: postgres.Sql,
  eventId: string,
  messages: readonly TicketMessage[],
): Promise<Ticket[]> {
  const wanted = messages.map(({ id, isValid = true, entrou = false, setor }) => ({
    id,
    isValid,
    entrou,
    setor,
  }));
  const rows = await sql<Row[]>`
    insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
    select ${eventId}, id, "isValid", entrou, setor
    from json_to_recordset(${JSON.stringify(wanted)}::text::json)
      as wanted (id text, "isValid" boolean, entrou boolean, setor text)
    order by id collate "C"
    on conflict do nothing
    returning id, is_valid_ticket as "isValid", entrou, setor`;
  return rows.map(asStored);
}

/** Of tickets that are locked. */
export async function writeTickets(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly Ticket[],
): Promise<void> {
  if (tickets.length === 0) return;
  const rows = tickets.map(({ id, isValid, entrou, setor }) => ({ id, isValid, entrou, setor }));
  const { count } = await sql`
    update public.tickets ticket set is_valid_ticket = changed."isValid", entrou = changed.entrou, setor = changed.setor
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as changed (id text, "isValid" boolean, entrou boolean, setor text)
    where ticket.event_id = ${eventId} and ticket.id = changed.id`;
  if (count !== tickets.length) {
    throw new Error(
      `${tickets.length - count} tickets were not changed: does a trigger keep them as they are?`,
    );
  }
}

export async function forgetTimes(sql: postgres.Sql, eventId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    delete from public.ticket_times
    where event_id = ${eventId} and id in (select json_array_elements_text(${JSON.stringify(ids)}::text::json))`;
}

export async function writeTimes(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly Ticket[],
): Promise<void> {
  if (tickets.length === 0) return;
  const rows = tickets.map(({ id, at }) => ({ id, at }));
  await sql`
    insert into public.ticket_times (event_id, id, at)
    select ${eventId}, id, at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as timed (id text, at timestamptz)
    on conflict (event_id, id) do update set at = excluded.at`;
}
