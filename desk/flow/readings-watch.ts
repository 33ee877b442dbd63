import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Logger } from 'pino';
import { READINGS_MINUTES, type ReadingCount } from '../model/desk-readings.ts';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { RepeatedRead } from '../../database/repeated-read.ts';

export interface ReadingsWatchOptions {
  /** The address for the observer's role, which may read which entries wait, and how many readings were refused. */
  readonly from: ServerAddress;
  readonly eventId: string;
  readonly log: Logger;
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 5_000;
/** Another host may be the primary by then. */
const LOOKS_PER_SESSION = 12;
const STATEMENT_LIMIT_MS = 5_000;
/** `listen` orders a reading that is further ahead by its arrival (CLOCK_TOLERANCE_MS in gates/http/limits.ts). */
const CLOCK_TOLERANCE = '2 s';

/** Counts the tickets that readings of gates over HTTP (`gates -- listen`) would enter, and what was refused, for the desk. */
export class ReadingsWatch {
  #readings: readonly ReadingCount[] = [];
  #isFailing = false;
  readonly #reading: RepeatedRead;

  constructor({ from, eventId, log, everyMs = EVERY_MS }: ReadingsWatchOptions) {
    this.#reading = new RepeatedRead({
      name: 'triagem readings',
      statementTimeoutMs: STATEMENT_LIMIT_MS,
      everyMs,
      read: (reading) =>
        reading.withSession(from, async (sql) => {
          const { signal } = reading;
          for (let look = 0; look < LOOKS_PER_SESSION && !signal.aborted; look += 1) {
            if (look > 0) await pause(everyMs, undefined, { signal });
            this.#readings = await readCounts(sql, eventId);
            if (this.#isFailing) log.info('readings of gates are read again');
            this.#isFailing = false;
          }
        }),
      onFailure: (reason) => {
        this.#readings = [];
        this.#isFailing = true;
        log.warn({ reason }, 'readings of gates cannot be read: the desk shows none of them');
      },
    });
  }

  /** `undefined` if there is none, or none is known. */
  get readings(): readonly ReadingCount[] | undefined {
    return this.#readings.length === 0 ? undefined : this.#readings;
  }

  stop(): Promise<void> {
    return this.#reading.stop();
  }
}

/**
 * Tickets that kept readings of this event have entered count as long as they wait: each once, however often it was read,
 * and none that a gate has taken back, as `listen` would apply them (gates/http/apply-reading.ts). No count lacks an exit
 * or a validity. What was refused, and tickets of unknown events (a gate of this event may be set up for a wrong one),
 * count for READINGS_MINUTES.
 */
async function readCounts(sql: postgres.Sql, eventId: string): Promise<readonly ReadingCount[]> {
  const rows = await sql<ReadingCount[]>`
    with kept as (
      select event_id, id, at, received_at, kept_at, reason, entrou,
        coalesce(at > received_at + ${CLOCK_TOLERANCE}::interval, false) as is_ahead
      from public.kept_readings
      where entrou is not null and (event_id = ${eventId}
        or reason = 'event' and kept_at > now() - ${READINGS_MINUTES}::int * interval '1 minute')
    ), timed as (
      select *, max(case when is_ahead then received_at else at end) over (partition by event_id, id) as newest from kept
    ), decisive as (
      select distinct on (event_id, id) reason, entrou from timed
      where at is null or is_ahead or at = newest
      order by event_id, id, kept_at desc
    )
    select 'kept' as outcome, reason, count(*)::int as count from decisive where entrou group by reason
    union all
    select 'refused', reason, sum(count)::int from public.refused_readings
    where event_id = ${eventId} and minute > now() - ${READINGS_MINUTES}::int * interval '1 minute'
    group by reason
    order by outcome, count desc, reason`;
  return [...rows];
}
