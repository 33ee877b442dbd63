import type postgres from 'postgres';
import { isSimulated, reserveEvent } from '../simulator/simulated-id.ts';
import { applyReading, lastTime, type Reading, type Ticket } from './apply-reading.ts';
import { type KeptReading, keepReadings, takeKept } from './kept-rows.ts';
import { CLOCK_TOLERANCE_MS } from './limits.ts';
import type { NumberedMessage } from './read-body.ts';
import { type KeptReason, RequestOutcome } from './request-outcome.ts';
import {
  findIds,
  forgetDeleted,
  forgetTimes,
  insertTickets,
  lockTickets,
  readTimes,
  writeTickets,
  writeTimes,
} from './ticket-rows.ts';
import { eventExists } from './unknown-events.ts';

/** The messages of one body. */
export interface TicketRequest {
  readonly eventId: string;
  /** Whether unknown ids become tickets, where the message has their sector. */
  readonly mayCreate: boolean;
  readonly messages: readonly NumberedMessage[];
  /** UTC, as `Instant.text` of sent-at.ts. */
  readonly receivedAt: string;
  /** The client's address, which stands for the gate of messages that name none. */
  readonly address: string;
  /** The ids of existing tickets with kept readings. */
  readonly released: readonly string[];
}

/** What became of a request. */
export interface Written {
  readonly outcome: RequestOutcome;
  /** The messages about tickets that another program has locked: they are not applied, and no part of the outcome. */
  readonly locked: readonly NumberedMessage[];
}

/**
 * Applies requests, all of one event, within the caller's transaction. Messages about unknown tickets are kept. Returns
 * what became of each request, in their order.
 *
 * Every transaction locks tickets first, in the order of their ids, and kept readings after them.
 */
export async function writeRequests(
  sql: postgres.Sql,
  eventId: string,
  requests: readonly TicketRequest[],
): Promise<Written[]> {
  const ids = new Set(
    requests.flatMap(({ messages, released }) => [...messages.map(({ id }) => id), ...released]),
  );
  const tickets = await lockTickets(sql, eventId, [...ids], true);
  const others = [...ids].filter((id) => !tickets.has(id));
  const locked = await findIds(sql, eventId, others);
  const wanted = findWanted(requests, (id) => tickets.has(id) || locked.has(id));
  const whyNot = locked.size < others.length ? await whyNotThere(sql, eventId, tickets, wanted) : undefined;
  const created = whyNot
    ? new Set<string>()
    : await createTickets(sql, eventId, [...wanted.values()], tickets);
  await readTimesOf(sql, eventId, requests, tickets, created);
  const released = await applyKept(sql, eventId, tickets);
  const unknown: KeptReading[] = [];
  const all = requests.map((request) => {
    const outcome = new RequestOutcome();
    for (const message of request.messages) {
      if (locked.has(message.id)) continue;
      const ticket = tickets.get(message.id);
      const reading = readingOf(message, request);
      if (reading.isAhead) outcome.ahead += 1;
      if (ticket) {
        applyMessage(ticket, { ...message, ...reading }, created, outcome);
      } else {
        const isMeant = whyNot === 'event' || wanted.has(message.id);
        const reason = (isMeant && whyNot) || 'ticket';
        const { position, line, id, gate = request.address } = message;
        unknown.push({ id, gate, reason, ...reading });
        outcome.keep(reason, { message: position, line, id }, whatLacks(request, message, reason));
      }
    }
    return { outcome, locked: request.messages.filter(({ id }) => locked.has(id)) };
  });
  await writeTickets(sql, eventId, having(tickets, 'isChanged'));
  await writeTimes(sql, eventId, having(tickets, 'isNewlyTimed'));
  await keepReadings(sql, eventId, unknown);
  // What is kept is applied to a ticket that comes as if it were the first: a deleted one may have left its times.
  await forgetDeleted(sql, eventId, idsOf(unknown));
  // Kept readings belong to no request: the first one counts them, so that they are counted once.
  if (all[0]) all[0].outcome.released = released;
  return all;
}

/** What a message lacks that could have made its ticket, as the end of a sentence. */
function whatLacks({ mayCreate }: TicketRequest, { setor }: NumberedMessage, reason: KeptReason): string {
  if (!mayCreate) return '';
  if (setor === undefined) return ', and none is created without "setor"';
  return reason === 'event' ? ': create it, and send this again, which creates its ticket' : '';
}

/** Returns, for each id without a ticket, the first message that may create one. */
function findWanted(
  requests: readonly TicketRequest[],
  isThere: (id: string) => boolean,
): ReadonlyMap<string, NumberedMessage> {
  const wanted = new Map<string, NumberedMessage>();
  for (const { mayCreate, messages } of requests) {
    if (!mayCreate) continue;
    for (const message of messages) {
      const { id, setor } = message;
      if (setor !== undefined && !isThere(id) && !wanted.has(id)) wanted.set(id, message);
    }
  }
  return wanted;
}

/** Returns why no ticket may be created; undefined where one may. */
async function whyNotThere(
  sql: postgres.Sql,
  eventId: string,
  tickets: ReadonlyMap<string, Ticket>,
  wanted: ReadonlyMap<string, NumberedMessage>,
): Promise<KeptReason | undefined> {
  if (tickets.size === 0 && !(await eventIsThere(sql, eventId))) return 'event';
  return wanted.size > 0 && (await takesNoOthers(sql, eventId)) ? 'simulated' : undefined;
}

async function eventIsThere(sql: postgres.Sql, eventId: string): Promise<boolean> {
  const [row] = await sql<[{ exists: boolean }]>`
    select ${eventExists(sql, 'named.id')} as exists from (select ${eventId}::text as id) named`;
  return row.exists;
}

/** Reserves the event for real tickets until the transaction ends. Returns true where its tickets are simulated. */
async function takesNoOthers(sql: postgres.Sql, eventId: string): Promise<boolean> {
  if (!(await reserveEvent(sql, eventId, 'real'))) return true;
  // All tickets of an event are of one kind.
  const [ticket] = await sql<{ simulated: boolean }[]>`
    select ${isSimulated(sql, eventId)} as simulated
    from (select id from public.tickets where event_id = ${eventId} limit 1) ticket`;
  return ticket?.simulated === true;
}

/** Adds to `tickets` what it creates, and what others have created since. Returns the ids that it created. */
async function createTickets(
  sql: postgres.Sql,
  eventId: string,
  wanted: readonly NumberedMessage[],
  tickets: Map<string, Ticket>,
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const created = await insertTickets(sql, eventId, wanted);
  for (const ticket of created) tickets.set(ticket.id, ticket);
  // Deleted tickets with these ids may have left their times.
  await forgetTimes(sql, eventId, idsOf(created));
  const theirs = wanted.flatMap(({ id }) => (tickets.has(id) ? [] : [id]));
  for (const ticket of (await lockTickets(sql, eventId, theirs)).values()) tickets.set(ticket.id, ticket);
  return new Set(created.map(({ id }) => id));
}

async function readTimesOf(
  sql: postgres.Sql,
  eventId: string,
  requests: readonly TicketRequest[],
  tickets: ReadonlyMap<string, Ticket>,
  created: ReadonlySet<string>,
): Promise<void> {
  const timed = new Set(having(tickets, 'hasKept').map(({ id }) => id));
  for (const { messages } of requests) {
    for (const { id, at } of messages) if (at !== undefined && tickets.has(id)) timed.add(id);
  }
  for (const id of created) timed.delete(id);
  for (const { id, times, known } of await readTimes(sql, eventId, [...timed])) {
    const ticket = tickets.get(id);
    if (ticket) Object.assign(ticket, { times, known });
  }
}

/** Applies the kept readings, which arrived before the current messages. Returns their number. */
async function applyKept(
  sql: postgres.Sql,
  eventId: string,
  tickets: ReadonlyMap<string, Ticket>,
): Promise<number> {
  const ids = having(tickets, 'hasKept').map(({ id }) => id);
  const kept = await takeKept(sql, eventId, ids);
  for (const reading of kept) {
    const ticket = tickets.get(reading.id);
    if (ticket) applyReading(ticket, reading, Date.now());
  }
  return kept.length;
}

function readingOf(
  { isValid, entrou, setor, at, ageMs }: NumberedMessage,
  { receivedAt }: TicketRequest,
): Reading {
  return { isValid, entrou, setor, at, receivedAt, isAhead: ageMs < -CLOCK_TOLERANCE_MS };
}

/** `created` has the ids of new tickets whose creating message has not been counted yet. */
function applyMessage(
  ticket: Ticket,
  message: NumberedMessage & Reading,
  created: Set<string>,
  outcome: RequestOutcome,
): void {
  const { id, line, position } = message;
  const done = applyReading(ticket, message, Date.now());
  if (created.delete(id)) outcome.done('created');
  else if (done === 'applied') outcome.done('applied');
  else {
    const lastAt = done === 'older' ? lastTime(ticket, message) : undefined;
    outcome.withoutEffect({ message: position, line, id, outcome: done, ...(lastAt && { lastAt }) });
  }
}

const idsOf = (those: readonly { readonly id: string }[]): string[] => those.map(({ id }) => id);

function having(
  tickets: ReadonlyMap<string, Ticket>,
  what: 'isChanged' | 'isNewlyTimed' | 'hasKept',
): Ticket[] {
  return [...tickets.values()].filter((ticket) => ticket[what]);
}
