import type postgres from 'postgres';
import { readEvents } from '../backup-contents.ts';
import { type EventDetails, readDetails } from './event-details.ts';

/** An event that is named or has tickets. */
export interface EventSummary extends Omit<EventDetails, 'title'> {
  /** Null: nobody has given it one. */
  readonly title: string | null;
  readonly tickets: number;
  readonly valid: number;
  readonly entered: number;
  /** When a ticket that is in was last written; null: not known. */
  readonly lastEntryAt: Date | null;
}

/** Of every event, or of one, if it is there. */
export async function readSummaries(sql: postgres.Sql, onlyEvent?: string): Promise<EventSummary[]> {
  const events = await readEvents(sql, onlyEvent);
  const details = new Map((await readDetails(sql, onlyEvent)).map((row) => [row.eventId, row]));
  const lastEntries = await readLastEntries(sql, onlyEvent);
  return events.map(({ id, tickets, valid, entered }) => {
    const { title = null, gatesOpenAt = null, kickOffAt = null, timeZone = null } = details.get(id) ?? {};
    const lastEntryAt = lastEntries.get(id) ?? null;
    return { eventId: id, title, gatesOpenAt, kickOffAt, timeZone, tickets, valid, entered, lastEntryAt };
  });
}

/** A ticket has no time of its own: the commit that wrote it last has, where the server keeps such times. */
async function readLastEntries(sql: postgres.Sql, onlyEvent?: string): Promise<Map<string, Date>> {
  const [setting] = await sql<{ isKept: boolean }[]>`
    select current_setting('track_commit_timestamp')::boolean as "isKept"`;
  if (setting?.isKept !== true) return new Map();
  const rows = await sql<{ id: string; at: Date | null }[]>`
    select event_id as id, max(pg_xact_commit_timestamp(xmin)) as at from public.tickets
    where entrou ${onlyEvent === undefined ? sql`` : sql`and event_id = ${onlyEvent}`} group by event_id`;
  return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[id, at] as const])));
}
