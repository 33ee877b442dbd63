import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { connectionFault, ConnectionFaultError, type ServerPlace } from '../../database/connection-fault.ts';
import { openSession } from '../../database/database-session.ts';
import { findPrimaryUrl } from '../../database/primary/primary-watch.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import { errorMessage } from '../../database/setup-error.ts';
import { type RecordedHistory, RecordedHistoryReader } from './recorded-history.ts';

export interface HistoryWatchOptions {
  /** Of the record's role; of several hosts, it is the primary that is read. */
  readonly recordUrl: string;
  /** Whose server that is. */
  readonly place: ServerPlace;
  /** The same, of a role that may read event_details: when matches began whose log does not say it. */
  readonly detailsUrl: string;
  readonly eventId: string;
  readonly isSimulated: boolean;
  /** Told at the start, and whenever the record holds other matches: an import, a withdrawal, one that has ended. */
  readonly onHistory: (history: RecordedHistory) => void;
  readonly log: Logger;
  /** For tests; a minute in use. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 60_000;
const END_LIMIT_MS = 300;

/** Nothing waits for what is read here: a statement may take its time, and holds no lock that another waits for. */
const SETTINGS = {
  application_name: 'triagem earlier matches',
  default_transaction_read_only: 'on',
  statement_timeout: '30000',
};

/** Looks after what the record holds of earlier matches, beside the one session that writes it. */
export class HistoryWatch {
  readonly #options: HistoryWatchOptions;
  readonly #reader: RecordedHistoryReader;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #endSession: () => Promise<void> = async () => {};
  #reportedReason = '';

  /** Begins to. */
  constructor(options: HistoryWatchOptions) {
    this.#options = options;
    const { eventId, isSimulated, detailsUrl, place } = options;
    const detailsPlace = place.dataDir === undefined ? { setting: 'DATABASE_URL' } : place;
    this.#reader = new RecordedHistoryReader({
      eventId,
      isSimulated,
      kickOffsOf: (eventIds) => this.#with(detailsPlace, detailsUrl, (sql) => readKickOffs(sql, eventIds)),
    });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#endSession();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { recordUrl, place, everyMs = EVERY_MS, onHistory, log } = this.#options;
    const { signal } = this.#stopping;
    let failures = 0;
    let matches = 0;
    while (!signal.aborted) {
      try {
        const history = await this.#with(place, recordUrl, (sql) => this.#reader.read(sql, Date.now()));
        failures = 0;
        this.#reportedReason = '';
        if (history && !signal.aborted) {
          const { length } = history.matches;
          if (length !== matches) log.info({ matches: length }, 'forecasts have earlier matches to go by');
          matches = length;
          onHistory(history);
        }
      } catch (error) {
        failures += 1;
        if (!signal.aborted) this.#report(errorMessage(error));
      }
      const delayMs = failures === 0 ? everyMs : retryDelayMs(failures, everyMs);
      await pause(delayMs, undefined, { signal }).catch(() => {});
    }
  }

  async #with<T>(
    place: ServerPlace,
    url: string,
    work: (sql: ReturnType<typeof openSession>['sql']) => Promise<T>,
  ): Promise<T> {
    const primaryUrl = await findPrimaryUrl(url, place, this.#stopping.signal);
    this.#stopping.signal.throwIfAborted();
    const session = openSession(primaryUrl, SETTINGS);
    const endOther = this.#endSession;
    this.#endSession = async () => {
      await Promise.all([session.end(END_LIMIT_MS), endOther()]);
    };
    try {
      return await work(session.sql);
    } catch (error) {
      const fault = connectionFault(error, place);
      throw fault ? new ConnectionFaultError(fault) : error;
    } finally {
      this.#endSession = endOther;
      await session.end(END_LIMIT_MS);
    }
  }

  /** One line per reason, not one per attempt. */
  #report(reason: string): void {
    if (reason === this.#reportedReason) return;
    this.#reportedReason = reason;
    this.#options.log.warn({ reason }, 'earlier matches cannot be read: forecasts go without new ones');
  }
}

async function readKickOffs(
  sql: ReturnType<typeof openSession>['sql'],
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ eventId: string; kickOffAtMs: number }[]>`
    select event_id as "eventId", (extract(epoch from kick_off_at) * 1000)::float8 as "kickOffAtMs"
    from public.event_details
    where kick_off_at is not null and event_id in ${sql(eventIds)}`;
  return new Map(rows.map(({ eventId, kickOffAtMs }) => [eventId, kickOffAtMs]));
}
