import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { READINGS_MINUTES, type ReadingCount } from '../../domain/flow/desk-readings.ts';
import { connectionFault, ConnectionFaultError, type ServerPlace } from '../database/connection-fault.ts';
import { openSession, type Session } from '../database/database-session.ts';
import { findPrimaryUrl } from '../database/primary/primary-watch.ts';
import { retryDelayMs } from '../database/retry-delay.ts';
import { errorMessage } from '../database/setup-error.ts';

export interface ReadingsWatchOptions {
  /** Of the observer's role, which may read how many readings wait and were refused, and not of which tickets. */
  readonly url: string;
  readonly place: ServerPlace;
  readonly eventId: string;
  readonly log: Logger;
  /** For tests. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 5_000;
/** Another host may lead by then. */
const LOOKS_PER_SESSION = 12;
const LONGEST_RETRY_MS = 30_000;
const END_LIMIT_MS = 300;

/** Nothing waits for what is read here. */
const SETTINGS = {
  application_name: 'triagem readings',
  default_transaction_read_only: 'on',
  statement_timeout: '5000',
};

/** Looks which readings of gates over HTTP (`gates -- listen`) are not in the count, for the desk. */
export class ReadingsWatch {
  readonly #options: ReadingsWatchOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #session: Session | undefined;
  #readings: readonly ReadingCount[] = [];
  #reportedReason = '';

  /** Begins to. */
  constructor(options: ReadingsWatchOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** `undefined`: there is none, or it is not known. */
  get readings(): readonly ReadingCount[] | undefined {
    return this.#readings.length === 0 ? undefined : this.#readings;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#session?.end(END_LIMIT_MS);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#look(() => (failures = 0));
      } catch (error) {
        failures += 1;
        this.#readings = [];
        if (signal.aborted) return;
        this.#report(errorMessage(error));
        await pause(retryDelayMs(failures, LONGEST_RETRY_MS), undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Some times, on one session. */
  async #look(onAnswer: () => void): Promise<void> {
    const { url, place, everyMs = EVERY_MS } = this.#options;
    const { signal } = this.#stopping;
    const primaryUrl = await findPrimaryUrl(url, place, signal);
    signal.throwIfAborted();
    const session = openSession(primaryUrl, SETTINGS);
    this.#session = session;
    try {
      for (let look = 0; look < LOOKS_PER_SESSION && !signal.aborted; look += 1) {
        this.#readings = await this.#read(session);
        this.#reportedReason = '';
        onAnswer();
        await pause(everyMs, undefined, { signal }).catch(() => {});
      }
    } catch (error) {
      const fault = connectionFault(error, place);
      throw fault ? new ConnectionFaultError(fault) : error;
    } finally {
      await session.end(END_LIMIT_MS);
    }
  }

  async #read({ sql }: Session): Promise<readonly ReadingCount[]> {
    const { eventId } = this.#options;
    const rows = await sql<ReadingCount[]>`
      select 'kept' as outcome, reason, count(*)::int as count from public.kept_readings
      where event_id = ${eventId} and kept_at > now() - ${READINGS_MINUTES}::int * interval '1 minute'
      group by reason
      union all
      select 'refused', reason, sum(count)::int from public.refused_readings
      where event_id = ${eventId} and minute > now() - ${READINGS_MINUTES}::int * interval '1 minute'
      group by reason
      order by outcome, count desc, reason`;
    return rows.map(({ outcome, reason, count }) => ({ outcome, reason, count }));
  }

  /** One line per reason, not one per attempt. */
  #report(reason: string): void {
    if (reason === this.#reportedReason) return;
    this.#reportedReason = reason;
    this.#options.log.warn({ reason }, 'readings of gates cannot be read: the desk shows none of them');
  }
}
