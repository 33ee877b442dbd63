import type postgres from 'postgres';
import type { Logger } from 'pino';
import { type ReadPlace, RepeatedRead } from '../../database/repeated-read.ts';
import { type RecordedHistory, RecordedHistoryReader } from './recorded-history.ts';

export interface HistoryWatchOptions {
  /** Of the record's role. */
  readonly record: ReadPlace;
  /** Of a role that may read event_details: when matches began whose log does not say it. */
  readonly details: ReadPlace;
  readonly eventId: string;
  readonly isSimulated: boolean;
  /** Told at the start, and whenever the record holds other matches: an import, a withdrawal, one that has ended. */
  readonly onHistory: (history: RecordedHistory) => void;
  readonly log: Logger;
  /** For tests; a minute in use. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 60_000;
/** A statement may take its time: it holds no lock that another waits for. */
const STATEMENT_LIMIT_MS = 30_000;

/** Looks after what the record holds of earlier matches, beside the one session that writes it. */
export class HistoryWatch {
  readonly #reading: RepeatedRead;

  constructor(options: HistoryWatchOptions) {
    const { eventId, isSimulated, record, details, onHistory, log, everyMs = EVERY_MS } = options;
    const reader = new RecordedHistoryReader({
      eventId,
      isSimulated,
      kickOffsOf: (eventIds) => this.#reading.withSession(details, (sql) => readKickOffs(sql, eventIds)),
    });
    let matches = 0;
    this.#reading = new RepeatedRead({
      name: 'triagem earlier matches',
      statementTimeoutMs: STATEMENT_LIMIT_MS,
      everyMs,
      read: async (reading) => {
        const history = await reading.withSession(record, (sql) => reader.read(sql, Date.now()));
        if (!history || reading.signal.aborted) return;
        const { length } = history.matches;
        if (length !== matches) log.info({ matches: length }, 'forecasts have earlier matches to go by');
        matches = length;
        onHistory(history);
      },
      onFailure: (reason) =>
        log.warn({ reason }, 'earlier matches cannot be read: forecasts go without new ones'),
    });
  }

  stop(): Promise<void> {
    return this.#reading.stop();
  }
}

async function readKickOffs(
  sql: postgres.Sql,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ eventId: string; kickOffAtMs: number }[]>`
    select event_id as "eventId", (extract(epoch from kick_off_at) * 1000)::float8 as "kickOffAtMs"
    from public.event_details
    where kick_off_at is not null and event_id in ${sql(eventIds)}`;
  return new Map(rows.map(({ eventId, kickOffAtMs }) => [eventId, kickOffAtMs]));
}
