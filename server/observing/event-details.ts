import type postgres from 'postgres';
import type { EventDetails } from '../../domain/event-details.ts';
import { errorCode } from '../database/setup-error.ts';

/** What is said of the event; `undefined`: nothing, or a database that was prepared before there was a table for it. */
export async function readEventDetails(
  sql: postgres.Sql,
  eventId: string,
): Promise<EventDetails | undefined> {
  try {
    const [details] = await sql<EventDetails[]>`
      select title, extract(epoch from gates_open_at)::float8 * 1000 as "gatesOpenAtMs",
        extract(epoch from kick_off_at)::float8 * 1000 as "kickOffAtMs", time_zone as "timeZone"
      from public.event_details where event_id = ${eventId}`;
    return details && { ...details };
  } catch (error) {
    if (MISSING.has(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The table, or the right to read it. */
const MISSING: ReadonlySet<string> = new Set(['42P01', '42501']);
