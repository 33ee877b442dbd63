import type postgres from 'postgres';
import type { EventDetails } from '../../../domain/event-details.ts';
import { oneEventId } from '../../../domain/event.ts';
import { isTimeZone } from '../../../domain/time-zone.ts';
import { errorCode } from '../../../database/setup-error.ts';

/**
 * Reads the metadata of this event, or of all events (`undefined`), by event. A database that was prepared before there was
 * a table for them has none.
 */
export async function readEventMetadata(
  sql: postgres.Sql,
  eventId: string | undefined,
): Promise<Map<string, EventDetails>> {
  try {
    const rows = await sql<(EventDetails & { eventId: string })[]>`
      select event_id as "eventId", title, extract(epoch from gates_open_at)::float8 * 1000 as "gatesOpenAtMs",
        extract(epoch from kick_off_at)::float8 * 1000 as "kickOffAtMs", time_zone as "timeZone"
      from public.event_details ${eventId === undefined ? sql`` : sql`where lower(event_id) = ${eventId}`}`;
    return new Map(rows.map(({ eventId: of, ...details }) => [oneEventId(of), usable(details)]));
  } catch (error) {
    if (MISSING.has(errorCode(error) ?? '')) return new Map();
    throw error;
  }
}

/** Finds the events whose metadata differ from those that were read before. */
export class MetadataChanges {
  #texts: ReadonlyMap<string, string> = new Map();
  #forgotten = 0;
  #takesAll = true;

  /** How often `forget` was called. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Has the next `take` return the metadata of each event again, changed or not. */
  forget(): void {
    this.#forgotten += 1;
    this.#takesAll = true;
  }

  /** Returns the metadata of those events; `undefined` where they are gone, and, at first, where `eventId` has none. */
  take(
    metadata: ReadonlyMap<string, EventDetails>,
    eventId: string | undefined,
  ): readonly (readonly [eventId: string, metadata: EventDetails | undefined])[] {
    const before = this.#texts;
    const takesAll = this.#takesAll;
    const texts = new Map([...metadata].map(([event, its]) => [event, JSON.stringify(its)] as const));
    this.#texts = texts;
    this.#takesAll = false;
    const events = new Set([...before.keys(), ...texts.keys()]);
    if (takesAll && eventId !== undefined) events.add(eventId);
    return [...events]
      .filter((event) => takesAll || before.get(event) !== texts.get(event))
      .map((event) => [event, metadata.get(event)] as const);
  }
}

/** The table may hold senseless instants and zones: they count as absent. */
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

export async function readKickOffs(
  sql: postgres.Sql,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ eventId: string; kickOffAtMs: number }[]>`
    select event_id as "eventId", (extract(epoch from kick_off_at) * 1000)::float8 as "kickOffAtMs"
    from public.event_details
    where kick_off_at is not null and event_id in ${sql(eventIds)}`;
  return new Map(rows.map(({ eventId, kickOffAtMs }) => [eventId, kickOffAtMs]));
}
