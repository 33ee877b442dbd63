import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Logger } from 'pino';
import { READINGS_MINUTES, type ReadingCount } from '../model/desk-readings.ts';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { RepeatedRead } from '../../database/repeated-read.ts';

export interface ReadingsWatchOptions {
  /** The address for the observer's role, which may read how many readings wait or were refused, and not their tickets. */
  readonly from: ServerAddress;
  readonly eventId: string;
  readonly log: Logger;
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 5_000;
/** Another host may be the primary by then. */
const LOOKS_PER_SESSION = 12;
const STATEMENT_LIMIT_MS = 5_000;

/** Counts the readings of gates over HTTP (`gates -- listen`) that are not in the count, for the desk. */
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
 * Readings of this event that are kept count as long as they wait for their tickets. What was refused, and readings of unknown
 * events (a gate of this event may be set up for a wrong one), count for READINGS_MINUTES. Of kept readings only entries
 * count here: no count lacks an exit or a validity.
 */
async function readCounts(sql: postgres.Sql, eventId: string): Promise<readonly ReadingCount[]> {
  const rows = await sql<ReadingCount[]>`
    select 'kept' as outcome, reason, count(*)::int as count from public.kept_readings
    where entrou and (event_id = ${eventId}
      or reason = 'event' and kept_at > now() - ${READINGS_MINUTES}::int * interval '1 minute')
    group by reason
    union all
    select 'refused', reason, sum(count)::int from public.refused_readings
    where event_id = ${eventId} and minute > now() - ${READINGS_MINUTES}::int * interval '1 minute'
    group by reason
    order by outcome, count desc, reason`;
  return [...rows];
}
