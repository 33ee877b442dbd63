import type postgres from 'postgres';
import type { EventDetails } from '../../../domain/event-details.ts';
import { isTimeZone } from '../../../domain/time-zone.ts';
import { errorCode } from '../../database/setup-error.ts';

/**
 * What is said of events, by event: of this one, or of all (`undefined`). Empty: nothing, or a database that was prepared
 * before there was a table for it.
 */
export async function readEventDetails(
  sql: postgres.Sql,
  eventId: string | undefined,
): Promise<Map<string, EventDetails>> {
  try {
    const rows = await sql<(EventDetails & { eventId: string })[]>`
      select event_id as "eventId", title, extract(epoch from gates_open_at)::float8 * 1000 as "gatesOpenAtMs",
        extract(epoch from kick_off_at)::float8 * 1000 as "kickOffAtMs", time_zone as "timeZone"
      from public.event_details ${eventId === undefined ? sql`` : sql`where event_id = ${eventId}`}`;
    return new Map(rows.map(({ eventId: of, ...details }) => [of, usable(details)]));
  } catch (error) {
    if (MISSING.has(errorCode(error) ?? '')) return new Map();
    throw error;
  }
}

/** Whoever may write the table may write what is no instant and no zone: that is as if nobody had said it. */
function usable({ title, gatesOpenAtMs, kickOffAtMs, timeZone }: EventDetails): EventDetails {
  return {
    title,
    gatesOpenAtMs: instantOf(gatesOpenAtMs),
    kickOffAtMs: instantOf(kickOffAtMs),
    timeZone: timeZone !== null && isTimeZone(timeZone) ? timeZone : null,
  };
}

/** PostgreSQL's 'infinity', and years that JavaScript has none of, are null. */
function instantOf(unixMs: number | null): number | null {
  return unixMs === null || Number.isNaN(new Date(unixMs).getTime()) ? null : unixMs;
}

/** The table, or the right to read it. */
const MISSING: ReadonlySet<string> = new Set(['42P01', '42501']);
