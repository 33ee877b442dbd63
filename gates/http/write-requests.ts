import type postgres from 'postgres';
import { isSimulated, reserveEvent } from '../simulated-id.ts';
import { applyMessages, type Summary, type Ticket } from './apply-messages.ts';
import type { NumberedMessage } from './read-body.ts';
import { MessageErrors, Refusal } from './refusal.ts';
import {
  forgetTimes,
  insertTickets,
  lockTickets,
  readTimes,
  writeTickets,
  writeTimes,
} from './ticket-rows.ts';

/** What is to be done with the messages of one body. */
export interface TicketRequest {
  readonly eventId: string;
  /** Whether unknown ids become tickets, where the sector is said. */
  readonly mayCreate: boolean;
  readonly messages: readonly NumberedMessage[];
}

/**
 * Within a transaction: does what the requests, all of one event, ask for, one after the other. One that is refused does
 * nothing, and harms no other. Returns what became of each, in their order.
 */
export async function writeRequests(
  sql: postgres.Sql,
  eventId: string,
  requests: readonly TicketRequest[],
): Promise<(Summary | Refusal)[]> {
  const ids = new Set(requests.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const tickets = await lockTickets(sql, eventId, [...ids]);
  if (tickets.size === 0 && !(await eventExists(sql, eventId))) {
    return requests.map(() => unknownEvent());
  }
  const wanted = new Map<string, NumberedMessage>();
  const refusals: (Refusal | undefined)[] = [];
  let creating: Promise<Refusal | undefined> | undefined;
  for (const request of requests) {
    const missing = findMissing(request, (id) => tickets.has(id) || wanted.has(id));
    if (!(missing instanceof Refusal) && missing.size > 0) creating ??= refuseCreating(sql, eventId);
    const refusal = missing instanceof Refusal ? missing : missing.size > 0 ? await creating : undefined;
    refusals.push(refusal);
    if (!refusal && !(missing instanceof Refusal)) {
      for (const [id, message] of missing) wanted.set(id, message);
    }
  }
  const created = await createTickets(sql, eventId, wanted, tickets);
  const accepted = requests.filter((_, index) => !refusals[index]);
  await readTimesOf(sql, eventId, accepted, tickets, created);
  const results = requests.map(
    ({ messages }, index) => refusals[index] ?? applyMessages(messages, tickets, created),
  );
  const all = [...tickets.values()];
  await writeTickets(
    sql,
    eventId,
    all.filter(({ isChanged }) => isChanged),
  );
  await writeTimes(
    sql,
    eventId,
    all.filter(({ isNewlyTimed }) => isNewlyTimed),
  );
  return results;
}

/** The first message of each ticket that this request would create; or why it must not be done. */
function findMissing(
  { mayCreate, messages }: TicketRequest,
  isKnown: (id: string) => boolean,
): Map<string, NumberedMessage> | Refusal {
  const missing = new Map<string, NumberedMessage>();
  const errors = new MessageErrors();
  for (const message of messages) {
    const { id, line, position, setor } = message;
    if (isKnown(id) || missing.has(id)) continue;
    if (mayCreate && setor !== undefined) {
      missing.set(id, message);
      continue;
    }
    const detail = mayCreate
      ? 'no ticket of this event has this id, and without a setor none can be created'
      : 'no ticket of this event has this id';
    errors.add({ message: position, line, id, detail });
  }
  return errors.count === 0 ? missing : errors.toRefusal('id is unknown', 'messages have unknown ids');
}

/** A table may have been filled by a gate system that names no events. */
async function eventExists(sql: postgres.Sql, eventId: string): Promise<boolean> {
  const [row] = await sql<[{ exists: boolean }]>`
    select exists (select from public.events where id = ${eventId})
      or exists (select from public.tickets where event_id = ${eventId}) as exists`;
  return row.exists;
}

function unknownEvent(): Refusal {
  return new Refusal(
    404,
    'There is no such event here. "event create" or "import" of the gates tool makes one.',
  );
}

/** Real tickets and simulated ones are kept apart, until the transaction ends. */
async function refuseCreating(sql: postgres.Sql, eventId: string): Promise<Refusal | undefined> {
  if (!(await reserveEvent(sql, eventId, 'real'))) {
    return new Refusal(409, 'simulate is filling this event: create tickets in another, or wait.');
  }
  // All are of one kind.
  const [ticket] = await sql<{ simulated: boolean }[]>`
    select ${isSimulated(sql, eventId)} as simulated
    from (select id from public.tickets where event_id = ${eventId} limit 1) ticket`;
  if (ticket?.simulated !== true) return undefined;
  return new Refusal(409, 'This event has simulated tickets, and takes no others.');
}

/** Puts what it creates into `tickets`. Returns the ids. */
async function createTickets(
  sql: postgres.Sql,
  eventId: string,
  wanted: ReadonlyMap<string, NumberedMessage>,
  tickets: Map<string, Ticket>,
): Promise<Set<string>> {
  if (wanted.size === 0) return new Set();
  const created = await insertTickets(sql, eventId, [...wanted.values()]);
  for (const ticket of created) tickets.set(ticket.id, ticket);
  // Of tickets that had these ids, and were deleted.
  await forgetTimes(
    sql,
    eventId,
    created.map(({ id }) => id),
  );
  // Somebody else has created them since.
  const others = [...wanted.keys()].filter((id) => !tickets.has(id));
  for (const ticket of (await lockTickets(sql, eventId, others)).values()) tickets.set(ticket.id, ticket);
  if (others.some((id) => !tickets.has(id))) {
    throw new Refusal(
      409,
      'A ticket of another event has one of these ids, and the table allows each only once.',
    );
  }
  return new Set(created.map(({ id }) => id));
}

async function readTimesOf(
  sql: postgres.Sql,
  eventId: string,
  requests: readonly TicketRequest[],
  tickets: ReadonlyMap<string, Ticket>,
  created: ReadonlySet<string>,
): Promise<void> {
  const timed = new Set<string>();
  for (const { messages } of requests) {
    for (const { id, at } of messages) if (at !== undefined && !created.has(id)) timed.add(id);
  }
  for (const { id, at } of await readTimes(sql, eventId, [...timed])) {
    const ticket = tickets.get(id);
    if (ticket) ticket.at = at;
  }
}
