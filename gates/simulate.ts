import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';
import { GATES_OPEN_MINUTE, schedulePassages, type Passage } from './arrivals.ts';
import { readArguments, readCount, readEvent, type Command } from './command.ts';
import { DEFAULT_TICKETS, sellTickets, type SoldTicket } from './crowd.ts';
import { GatesError, UsageError } from './errors.ts';
import { Progress } from './progress.ts';
import { connect, findTarget } from './target.ts';

const DEFAULT_SPEED = 60;
/** Turnstiles at work at the same time. */
const WRITERS = 4;
const LARGEST_GROUP = 1_000;
const TICK_MS = 20;
/** Castelão's: 21:30. */
const KICK_OFF_MINUTE_OF_DAY = 21 * 60 + 30;

/** Fills an event and lets its crowd in. */
export const simulate: Command = {
  help: `Usage: npm run -s gates -- simulate [--tickets N] [--speed X] [--reset] [--event ID]

Fills the event with tickets over the thirteen sectors, then opens the gates: the crowd comes in random order, most of
it late, as at Castelão on 26 March 2025. Some stay away, a few invalid tickets get in, a few entries are taken back.

  --tickets N  this many tickets (default: ${DEFAULT_TICKETS})
  --speed X    times faster than real life (default: ${DEFAULT_SPEED}: two hours in two minutes)
  --reset      delete the event's tickets first; without it, an event that has tickets is left alone
  --event ID   of this event (default: EVENT_ID)
`,
  async run(args, env) {
    const { values } = readArguments(args, {
      tickets: { type: 'string', default: String(DEFAULT_TICKETS) },
      speed: { type: 'string', default: String(DEFAULT_SPEED) },
      reset: { type: 'boolean', default: false },
      event: { type: 'string' },
    });
    const speed = Number(values.speed);
    if (!(speed > 0) || !Number.isFinite(speed)) {
      throw new UsageError(`--speed is "${values.speed}", which is not a number above 0.`);
    }
    const tickets = sellTickets(readCount('--tickets', values.tickets));
    const eventId = readEvent(values.event, env);
    const stopped = stopSignal();
    const sql = connect(await findTarget(env), WRITERS);
    try {
      await fill(sql, eventId, tickets, values.reset);
      process.stdout.write(`${tickets.length} tickets sold. The gates open.\n`);
      const entered = await letIn(sql, eventId, tickets, speed, stopped);
      process.stdout.write(
        stopped.aborted
          ? `Stopped with ${entered} in.\n`
          : `The crowd is in: ${entered} of ${tickets.length}.\n`,
      );
    } finally {
      await sql.end({ timeout: 2 });
    }
    return 0;
  },
};

/** Aborts on Ctrl-C, on SIGTERM, and when the demo that started us is gone. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(signal, stop);
  // The channel to the demo alone is no reason to stay.
  process.channel?.unref();
  return controller.signal;
}

async function fill(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly SoldTicket[],
  reset: boolean,
): Promise<void> {
  await sql.begin(async (transaction) => {
    if (reset) {
      await transaction`delete from public.tickets where event_id = ${eventId}`;
    } else {
      const [has] = await transaction<{ tickets: boolean }[]>`
        select exists (select from public.tickets where event_id = ${eventId}) as tickets`;
      if (has?.tickets) {
        throw new GatesError(
          `The event ${eventId} has tickets already. --reset deletes them; --event takes another.`,
        );
      }
    }
    await transaction`insert into public.events (id) values (${eventId}) on conflict do nothing`;
    const copy = await transaction`
      copy public.tickets (event_id, id, is_valid_ticket, entrou, setor) from stdin`.writable();
    // No value holds a character that COPY's format would need escaped.
    const rows = tickets.map(({ id, isValid, setor }) => `${eventId}\t${id}\t${isValid}\tfalse\t${setor}\n`);
    await pipeline([rows.join('')], copy);
  });
}

/** Returns how many are in at the end, of those that came here. */
async function letIn(
  sql: postgres.Sql,
  eventId: string,
  tickets: readonly SoldTicket[],
  speed: number,
  stopped: AbortSignal,
): Promise<number> {
  const passages = schedulePassages(
    tickets.map(({ isValid }) => isValid),
    Math.random,
  );
  const openedMs = performance.now();
  const minuteNow = (): number => GATES_OPEN_MINUTE + ((performance.now() - openedMs) * speed) / 60_000;
  const progress = new Progress();
  let next = 0;
  let entered = 0;

  /** What is due, shared among the writers, all of one kind. */
  function takeGroup(): Passage[] {
    const minute = minuteNow();
    let due = next;
    while (
      due < passages.length &&
      due - next < LARGEST_GROUP * WRITERS &&
      (passages[due]?.minute ?? 0) <= minute
    )
      due += 1;
    const size = Math.ceil((due - next) / WRITERS);
    const group = passages.slice(next, next + size);
    const other = group.findIndex(({ entrou }) => entrou !== group[0]?.entrou);
    const alike = other === -1 ? group : group.slice(0, other);
    next += alike.length;
    return alike;
  }

  async function write(): Promise<void> {
    while (next < passages.length && !stopped.aborted) {
      const group = takeGroup();
      const [first] = group;
      if (!first) {
        await sleep(TICK_MS);
        continue;
      }
      const ids = group.map(({ ticket }) => tickets[ticket]?.id).join(',');
      const { count } = await sql`
        update public.tickets set entrou = ${first.entrou}
        where event_id = ${eventId} and id = any (string_to_array(${ids}, ',')) and entrou <> ${first.entrou}`;
      entered += first.entrou ? count : -count;
      progress.show(() => `${clock(minuteNow())}  ${entered} in`);
    }
  }

  try {
    await Promise.all(Array.from({ length: WRITERS }, write));
  } finally {
    progress.end();
  }
  return entered;
}

/** '20:15 (75 min to kick-off)'. */
function clock(minute: number): string {
  const ofDay = Math.floor(KICK_OFF_MINUTE_OF_DAY + minute);
  const time = [Math.floor(ofDay / 60) % 24, ofDay % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  const distance = Math.abs(Math.ceil(minute));
  return `${time} (${distance} min ${minute < 0 ? 'to' : 'after'} kick-off)`;
}
