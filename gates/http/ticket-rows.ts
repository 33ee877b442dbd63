import type postgres from 'postgres';
import type { Ticket } from './apply-reading.ts';
import type { TicketMessage } from './ticket-message.ts';

/** Lists go over as a JSON text, one parameter, in pieces: of a large body no more is held twice. */
const PIECE_LENGTH = 10_000;

export function* inPieces(
  list: readonly unknown[],
): Generator<{ readonly text: string; readonly length: number }> {
  for (let start = 0; start < list.length; start += PIECE_LENGTH) {
    const piece = list.slice(start, start + PIECE_LENGTH);
    yield { text: JSON.stringify(piece), length: piece.length };
  }
}

type Row = Pick<Ticket, 'id' | 'isValid' | 'entrou' | 'setor' | 'hasKept'>;

/**
 * The tickets of this event that have these ids, by id, as they are once nobody else holds them. Everybody locks in the
 * order of the ids, so that no two of us wait for each other. `skipsHeld`: those that somebody holds are left out.
 */
export async function lockTickets(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
  skipsHeld = false,
): Promise<Map<string, Ticket>> {
  const tickets = new Map<string, Ticket>();
  for (const { text } of inPieces(ids.toSorted())) {
    const rows = await sql<Row[]>`
      select id, is_valid_ticket as "isValid", entrou, setor, exists (
        select from public.kept_readings kept where kept.event_id = ticket.event_id and kept.id = ticket.id
      ) as "hasKept"
      from public.tickets ticket
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))
      order by id collate "C" for update of ticket ${skipsHeld ? sql`skip locked` : sql``}`;
    for (const row of rows) tickets.set(row.id, asStored(row));
  }
  return tickets;
}

/** Of these ids, those that tickets of this event have. */
export async function findIds(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { text } of inPieces(ids)) {
    const rows = await sql<{ id: string }[]>`
      select id from public.tickets
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))`;
    for (const { id } of rows) found.add(id);
  }
  return found;
}

function asStored({ id, isValid, entrou, setor, hasKept }: Row): Ticket {
  return {
    id,
    isValid,
    entrou,
    setor,
    hasKept,
    times: {},
    known: [],
    isChanged: false,
    isNewlyTimed: false,
  };
}

type Times = Pick<Ticket, 'id' | 'times' | 'known'>;

/** Only while the tickets are locked are these the newest times. */
export async function readTimes(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<readonly Times[]> {
  const times: Times[] = [];
  for (const { text } of inPieces(ids)) {
    const rows = await sql<Times[]>`
      select id, to_json(ahead) as known, json_strip_nulls(json_build_object('isValid', ${inUtc(sql, 'valid_at')},
        'entrou', ${inUtc(sql, 'at')}, 'setor', ${inUtc(sql, 'setor_at')})) as times
      from public.ticket_times
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))`;
    for (const row of rows) times.push(row);
  }
  return times;
}

/** In SQL: an instant as text, as sent-at.ts has it. */
export function inUtc(sql: postgres.Sql, column: string) {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Returns those that were not there. */
export async function insertTickets(
  sql: postgres.Sql,
  eventId: string,
  messages: readonly TicketMessage[],
): Promise<Ticket[]> {
  const wanted = messages
    .map(({ id, isValid = true, entrou = false, setor }) => ({ id, isValid, entrou, setor }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const inserted: Ticket[] = [];
  for (const { text } of inPieces(wanted)) {
    const rows = await sql<Row[]>`
      insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
      select ${eventId}, id, "isValid", entrou, setor
      from json_to_recordset(${text}::text::json) as wanted (id text, "isValid" boolean, entrou boolean, setor text)
      order by id collate "C"
      on conflict do nothing
      returning id, is_valid_ticket as "isValid", entrou, setor, exists (
        select from public.kept_readings kept where kept.event_id = ${eventId} and kept.id = tickets.id
      ) as "hasKept"`;
    for (const row of rows) inserted.push(asStored(row));
  }
  return inserted;
}

/** Of tickets that are locked. */
export async function writeTickets(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly Ticket[],
): Promise<void> {
  const rows = tickets.map(({ id, isValid, entrou, setor }) => ({ id, isValid, entrou, setor }));
  for (const { text, length } of inPieces(rows)) {
    const { count } = await sql`
      update public.tickets ticket
      set is_valid_ticket = changed."isValid", entrou = changed.entrou, setor = changed.setor
      from json_to_recordset(${text}::text::json)
        as changed (id text, "isValid" boolean, entrou boolean, setor text)
      where ticket.event_id = ${eventId} and ticket.id = changed.id`;
    if (count !== length) {
      throw new Error(`${length - count} tickets were not changed: does a trigger keep them as they are?`);
    }
  }
}

export async function forgetTimes(sql: postgres.Sql, eventId: string, ids: readonly string[]): Promise<void> {
  for (const { text } of inPieces(ids)) {
    await sql`
      delete from public.ticket_times
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))`;
  }
}

export async function writeTimes(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly Ticket[],
): Promise<void> {
  for (const { text } of inPieces(tickets.map(({ id, times, known }) => ({ id, ...times, known })))) {
    await sql`
      insert into public.ticket_times (event_id, id, valid_at, at, setor_at, ahead)
      select ${eventId}, id, "isValid", entrou, setor, known
      from json_to_recordset(${text}::text::json) as timed (
        id text, "isValid" timestamptz, entrou timestamptz, setor timestamptz, known text[])
      on conflict (event_id, id) do update set
        valid_at = excluded.valid_at, at = excluded.at, setor_at = excluded.setor_at, ahead = excluded.ahead`;
  }
}
