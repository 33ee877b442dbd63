import type postgres from 'postgres';
import { type EventDetails, readDetails } from './event-details.ts';

export interface EventSummary extends Omit<EventDetails, 'title'> {
  readonly title: string | null;
  readonly tickets: number;
  readonly valid: number;
  readonly entered: number;
  /** When a ticket that has entered was last written, by its entry or since; null where the server keeps no commit times. */
  readonly lastEntryAt: Date | null;
}

type TicketCounts = Pick<EventSummary, 'eventId' | 'tickets' | 'valid' | 'entered' | 'lastEntryAt'>;

/** Returns every event that is named or has tickets; with `onlyEvent` that one, if it exists. */
export async function readSummaries(sql: postgres.Sql, onlyEvent?: string): Promise<EventSummary[]> {
  const counted = new Map((await countTickets(sql, onlyEvent)).map((row) => [row.eventId, row]));
  const details = new Map((await readDetails(sql, onlyEvent)).map((row) => [row.eventId, row]));
  const named = await sql<{ id: string }[]>`
    select id from public.events ${onlyEvent === undefined ? sql`` : sql`where id = ${onlyEvent}`}`;
  const ids = new Set([...counted.keys(), ...details.keys(), ...named.map(({ id }) => id)]);
  return [...ids].toSorted(byCode).map((eventId) => {
    const {
      title = null,
      gatesOpenAt = null,
      kickOffAt = null,
      timeZone = null,
    } = details.get(eventId) ?? {};
    const { tickets = 0, valid = 0, entered = 0, lastEntryAt = null } = counted.get(eventId) ?? {};
    return { eventId, title, gatesOpenAt, kickOffAt, timeZone, tickets, valid, entered, lastEntryAt };
  });
}

/** A ticket has no time of its own: `lastEntryAt` is the time of the commit that wrote it. */
async function countTickets(sql: postgres.Sql, onlyEvent: string | undefined): Promise<TicketCounts[]> {
  const [setting] = await sql<{ isKept: boolean }[]>`
    select current_setting('track_commit_timestamp')::boolean as "isKept"`;
  const lastEntryAt =
    setting?.isKept === true
      ? sql`max(pg_xact_commit_timestamp(xmin)) filter (where entrou)`
      : sql`null::timestamptz`;
  const rows = await sql<TicketCounts[]>`
    select event_id as "eventId", count(*)::int as tickets,
      (count(*) filter (where is_valid_ticket))::int as valid,
      (count(*) filter (where entrou))::int as entered, ${lastEntryAt} as "lastEntryAt"
    from public.tickets ${onlyEvent === undefined ? sql`` : sql`where event_id = ${onlyEvent}`} group by event_id`;
  return [...rows];
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : 1;
}
