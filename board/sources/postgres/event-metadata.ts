import type postgres from 'postgres';
import type { EventDetails } from '../../../domain/event-details.ts';
import { oneEventId } from '../../../domain/event.ts';
import { withPoint } from '../../../domain/log-position.ts';
import { isTimeZone } from '../../../domain/time-zone.ts';
import { errorCode } from '../../../database/setup-error.ts';
import type { SourceObserver } from '../ticket-source.ts';

/** The metadata of one event, or of all (`undefined`), as they change. */
export class EventMetadata {
  readonly #sql: postgres.Sql;
  readonly #eventId: string | undefined;
  readonly #observer: SourceObserver;
  #texts: ReadonlyMap<string, string> = new Map();
  #forgotten = 0;
  #takesAll = true;

  constructor(sql: postgres.Sql, eventId: string | undefined, observer: SourceObserver) {
    this.#sql = sql;
    this.#eventId = eventId;
    this.#observer = observer;
  }

  /** What was read before is not taken, and the next metadata are passed on changed or not: the log of an event was restored. */
  forget(): void {
    this.#forgotten += 1;
    this.#takesAll = true;
  }

  /** Reads, and returns what passes on that which has changed. `lsn`: where the log stood before the reading. */
  async read(): Promise<(lsn: bigint) => void> {
    const forgotten = this.#forgotten;
    const metadata = await readEventMetadata(this.#sql, this.#eventId);
    return (lsn) => {
      const { position } = this.#observer;
      if (!position || forgotten !== this.#forgotten) return;
      for (const event of this.#changedIn(metadata))
        this.#observer.metadata(event, metadata.get(event), withPoint(position, lsn));
    };
  }

  /** Returns the events whose metadata have changed, or are gone; at first also the one that has none. */
  #changedIn(metadata: ReadonlyMap<string, EventDetails>): readonly string[] {
    const before = this.#texts;
    const takesAll = this.#takesAll;
    const texts = new Map([...metadata].map(([event, its]) => [event, JSON.stringify(its)] as const));
    this.#texts = texts;
    this.#takesAll = false;
    const events = new Set([...before.keys(), ...texts.keys()]);
    if (takesAll && this.#eventId !== undefined) events.add(this.#eventId);
    return [...events].filter((event) => takesAll || before.get(event) !== texts.get(event));
  }
}

/** A database that was prepared before there was a table for them has none. */
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
