import type postgres from 'postgres';
import { refusedSilently } from '../cli/errors.ts';
import type { Ticket } from './apply-reading.ts';
import type { TicketMessage } from './ticket-message.ts';

const CHUNK_LENGTH = 10_000;

/** Lists are sent as one JSON parameter. Chunks bound the copy that a large body needs. */
export function* inChunks(
  list: readonly unknown[],
): Generator<{ readonly text: string; readonly length: number }> {
  for (let start = 0; start < list.length; start += CHUNK_LENGTH) {
    const chunk = list.slice(start, start + CHUNK_LENGTH);
    yield { text: JSON.stringify(chunk), length: chunk.length };
  }
}

type Row = Pick<Ticket, 'id' | 'isValid' | 'entrou' | 'setor' | 'hasKept'>;

/**
 * Locks the tickets with these ids, and returns them by id. All writers lock in the order of the ids, so that no two of
 * them deadlock. With `skipsLocked`, tickets that another transaction has locked are left out.
 */
export async function lockTickets(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
  skipsLocked = false,
): Promise<Map<string, Ticket>> {
  const tickets = new Map<string, Ticket>();
  for (const { text } of inChunks(ids.toSorted())) {
    const rows = await sql<Row[]>`
      select id, is_valid_ticket as "isValid", entrou, setor, exists (
        select from public.kept_readings kept where kept.event_id = ticket.event_id and kept.id = ticket.id
      ) as "hasKept"
      from public.tickets ticket
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))
      order by id collate "C" for update of ticket ${skipsLocked ? sql`skip locked` : sql``}`;
    for (const row of rows) tickets.set(row.id, asStored(row));
  }
  return tickets;
}

/** Returns those of `ids` that are tickets of the event. */
export async function findIds(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { text } of inChunks(ids)) {
    const rows = await sql<{ id: string }[]>`
      select id from public.tickets
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))`;
    for (const { id } of rows) found.add(id);
  }
  return found;
}

function asStored(row: Row): Ticket {
  return { ...row, times: {}, known: [], isChanged: false, isNewlyTimed: false };
}

type Times = Pick<Ticket, 'id' | 'times' | 'known'>;

/** The tickets must be locked: otherwise the times may be outdated. */
export async function readTimes(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<readonly Times[]> {
  const times: Times[] = [];
  for (const { text } of inChunks(ids)) {
    const rows = await sql<Times[]>`
      select id, to_json(ahead) as known, json_strip_nulls(json_build_object('isValid', ${inUtc(sql, 'valid_at')},
        'entrou', ${inUtc(sql, 'at')}, 'setor', ${inUtc(sql, 'setor_at')})) as times
      from public.ticket_times
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))`;
    for (const row of rows) times.push(row);
  }
  return times;
}

/** SQL that formats an instant as `Instant.text` of sent-at.ts. */
export function inUtc(sql: postgres.Sql, column: string) {
  return sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Returns the inserted tickets: ids that exist already are skipped. */
export async function insertTickets(
  sql: postgres.Sql,
  eventId: string,
  messages: readonly TicketMessage[],
): Promise<Ticket[]> {
  const wanted = messages
    .map(({ id, isValid = true, entrou = false, setor }) => ({ id, isValid, entrou, setor }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const inserted: Ticket[] = [];
  for (const { text } of inChunks(wanted)) {
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

/** The tickets must be locked. */
export async function writeTickets(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly Ticket[],
): Promise<void> {
  const rows = tickets.map(({ id, isValid, entrou, setor }) => ({ id, isValid, entrou, setor }));
  for (const { text, length } of inChunks(rows)) {
    const written = await sql<{ isWritten: boolean }[]>`
      update public.tickets ticket
      set is_valid_ticket = changed."isValid", entrou = changed.entrou, setor = changed.setor
      from json_to_recordset(${text}::text::json)
        as changed (id text, "isValid" boolean, entrou boolean, setor text)
      where ticket.event_id = ${eventId} and ticket.id = changed.id
      returning (ticket.entrou, ticket.is_valid_ticket) = (changed.entrou, changed."isValid") as "isWritten"`;
    const done = written.filter(({ isWritten }) => isWritten).length;
    if (done < length) throw refusedSilently(length - done);
  }
}

export async function forgetTimes(sql: postgres.Sql, eventId: string, ids: readonly string[]): Promise<void> {
  for (const { text } of inChunks(ids)) {
    await sql`
      delete from public.ticket_times
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))`;
  }
}

/**
 * Forgets the times of those of `ids` that are no tickets. Only once the times are locked is it known whether they are a
 * ticket's: who wrote them for one that came meanwhile has committed both.
 */
export async function forgetDeleted(
  sql: postgres.Sql,
  eventId: string,
  ids: readonly string[],
): Promise<void> {
  const timed: string[] = [];
  for (const { text } of inChunks(ids)) {
    const rows = await sql<{ id: string }[]>`
      select id from public.ticket_times
      where event_id = ${eventId} and id in (select json_array_elements_text(${text}::text::json))
      order by id collate "C" for update`;
    for (const { id } of rows) timed.push(id);
  }
  const there = await findIds(sql, eventId, timed);
  const deleted = timed.filter((id) => !there.has(id));
  await forgetTimes(sql, eventId, deleted);
}

export async function writeTimes(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly Ticket[],
): Promise<void> {
  for (const { text } of inChunks(tickets.map(({ id, times, known }) => ({ id, ...times, known })))) {
    await sql`
      insert into public.ticket_times (event_id, id, valid_at, at, setor_at, ahead)
      select ${eventId}, id, "isValid", entrou, setor, known
      from json_to_recordset(${text}::text::json) as timed (
        id text, "isValid" timestamptz, entrou timestamptz, setor timestamptz, known text[])
      on conflict (event_id, id) do update set
        valid_at = excluded.valid_at, at = excluded.at, setor_at = excluded.setor_at, ahead = excluded.ahead`;
  }
}
