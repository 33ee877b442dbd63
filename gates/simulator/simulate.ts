import type postgres from 'postgres';
import { askBoard, askJson } from '../cli/ask-board.ts';
import { readArguments, readCount, type Command, type Environment } from '../cli/command.ts';
import type { Target } from '../cli/target.ts';
import { generateTickets, seatsIn, type SimulatedTicket } from './simulated-tickets.ts';
import { GatesError, UsageError } from '../cli/errors.ts';
import { type ChosenEvent, locateEvent } from '../events/event.ts';
import { checkIncidents, INCIDENT_GRAMMAR, parseIncident } from './incidents.ts';
import { type LastingConnection, openLastingConnection } from '../cli/lasting-connection.ts';
import { letIn, type MarkTickets } from './let-in.ts';
import { countSimulated, isSimulated, reserveEvent } from './simulated-id.ts';
import { withSession, type Session } from '../cli/session.ts';
import { venueOf } from '../import/venue.ts';

const DEFAULT_SPEED = 60;
const WRITERS = 4;
const UNCHANGED = 'Nothing was changed.';

/** The message to the demo, in Unix milliseconds. */
export interface GatesOpen {
  readonly gatesOpenAtMs: number;
}

export const simulate: Command = {
  help: `Usage: npm run -s gates -- simulate [--tickets N] [--speed X] [--incident WHAT]... [--reset] [--event ID]
       npm run -s gates -- simulate --remove [--event ID]

For trying the board out, never for a match: fills an event that has no tickets with simulated ones over the sectors of
the venue (VENUE_FILE, else that of the running board), as their seats are, then opens the gates, two hours before the
kick-off. Spectators come in random order, most of them late, as at Castelão on 26 March 2025. Some stay away, a few
invalid tickets get in, a few entries are taken back. A board that is started with SIMULATED=yes marks all of it, on its
screens and in its record; any other takes it for real.

  --tickets N      this many tickets (default: one for each seat)
  --speed X        times faster than real life (default: ${DEFAULT_SPEED}: two hours in two minutes)
  --incident WHAT  something goes wrong, see below; as often as you like
  --reset          delete the tickets of an earlier simulation first
  --remove         delete the tickets of earlier simulations, and nothing else, then end
  --event ID       in this event (default: EVENT_ID, else the event of the running board)

What can go wrong:
${INCIDENT_GRAMMAR}

Where GATES_DATABASE_URL has several hosts and the primary is lost, it goes on at the next one.

It deletes and marks only tickets that it made, and leaves an event alone that has any other: nothing changes that.
Ctrl-C ends it. Exit code 1: it was refused, or the database failed; 2: a wrong option.
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      tickets: { type: 'string' },
      speed: { type: 'string' },
      incident: { type: 'string', multiple: true },
      reset: { type: 'boolean', default: false },
      remove: { type: 'boolean', default: false },
      event: { type: 'string' },
    });
    const isMore = [values.tickets, values.speed, values.incident].some((value) => value !== undefined);
    if (values.remove && (values.reset || isMore)) {
      throw new UsageError('--remove goes with --event only.');
    }
    const speed = Number(values.speed ?? DEFAULT_SPEED);
    if (!(speed > 0) || !Number.isFinite(speed)) {
      throw new UsageError(`--speed is "${values.speed}", which is not a number above 0.`);
    }
    const count = values.tickets === undefined ? undefined : readCount('--tickets', values.tickets);
    const incidents = (values.incident ?? []).map(parseIncident);
    const { stop, target, event } = await locateEvent(values.event, env);
    if (values.remove) {
      const removed = await withSession(target, stop, (session) => remove(session, event));
      process.stdout.write(`${removed} simulated tickets deleted\n`);
      return 0;
    }
    const venue = await venueOf(env, target);
    checkIncidents(incidents, venue);
    const tickets = generateTickets(event.eventId, count ?? seatsIn(venue), venue);
    await withSession(target, stop, (session) => fill(session, event, tickets, values.reset));
    await warnOfUnmarked(env, target, event);
    process.stdout.write(`${tickets.length} tickets sold. The gates open.\n`);
    const database = openLastingConnection(target, WRITERS, env, stop);
    try {
      const { eventId } = event;
      const onGatesOpen = (): void => {
        // The demo, which sets this, enters the kick-off on its desk.
        if (env['TRIAGEM_DEMO']) process.send?.({ gatesOpenAtMs: Date.now() } satisfies GatesOpen);
      };
      const entered = await letIn(markIn(database, eventId), {
        tickets,
        speed,
        incidents,
        writers: WRITERS,
        onGatesOpen,
        stopped: stop,
      });
      process.stdout.write(
        stop.aborted
          ? `Stopped with ${entered} in.\n`
          : `All spectators are in: ${entered} of ${tickets.length}.\n`,
      );
    } finally {
      await database.end();
    }
    return 0;
  },
};

/** Warns where the running board of the event displays and records what is simulated as real. */
async function warnOfUnmarked(
  env: Environment,
  { boards }: Pick<Target, 'boards'>,
  { eventId }: ChosenEvent,
): Promise<void> {
  const board = boards.find((one) => one.eventId === eventId);
  const asked = board && (await askBoard(env, board));
  if (!asked || asked.silentBecause !== undefined) return;
  const answer = await askJson(`${asked.url}/readyz`);
  if (typeof answer === 'string' || answer['simulated'] === true) return;
  process.stderr.write(
    `Beware: the board (${asked.url}) displays and records this as real: start it with SIMULATED=yes.\n`,
  );
}

/** Skips tickets that are marked already. */
function markIn(database: LastingConnection, eventId: string): MarkTickets {
  return async (ids, entrou) => {
    const { count } = await database.run(
      (sql) => sql`
        update public.tickets set entrou = ${entrou}
        where event_id = ${eventId} and id = any (string_to_array(${ids.join(',')}, ',')) and entrou <> ${entrou}`,
    );
    return count;
  };
}

/** Returns how many tickets were deleted. */
function remove(session: Session, event: ChosenEvent): Promise<number> {
  return session.transaction(UNCHANGED, async (sql) => {
    await reserve(sql, event);
    return deleteSimulated(sql, event);
  });
}

function fill(
  session: Session,
  event: ChosenEvent,
  tickets: readonly SimulatedTicket[],
  reset: boolean,
): Promise<void> {
  const { eventId, name } = event;
  return session.transaction(UNCHANGED, async (sql) => {
    await reserve(sql, event);
    const { simulated, others } = await countSimulated(sql, eventId);
    if (others > 0) {
      throw new GatesError(
        `The event ${name} has ${others} ${others === 1 ? 'ticket' : 'tickets'} that simulate did not invent, and no ` +
          'spectators are simulated among them. Simulate in an event of its own: --event with another ID.',
      );
    }
    if (simulated > 0 && !reset) {
      throw new GatesError(
        `The event ${name} has ${simulated} tickets of an earlier simulation. --reset deletes them first.`,
      );
    }
    await deleteSimulated(sql, event);
    await sql`insert into public.events (id) values (${eventId}) on conflict do nothing`;
    await sql`
      insert into public.tickets (event_id, id, is_valid_ticket, entrou, setor)
      select ${eventId}, id, "isValid", false, setor from json_to_recordset(${JSON.stringify(tickets)}::text::json)
        as sold (id text, "isValid" boolean, setor text)`;
  });
}

async function reserve(sql: postgres.Sql, { eventId, name }: ChosenEvent): Promise<void> {
  if (await reserveEvent(sql, eventId, 'simulated')) return;
  throw new GatesError(`Another command is adding tickets to the event ${name}: wait until it has ended.`);
}

async function deleteSimulated(sql: postgres.Sql, { eventId }: ChosenEvent): Promise<number> {
  const { count } = await sql`
    delete from public.tickets where event_id = ${eventId} and ${isSimulated(sql, eventId)}`;
  return count;
}
