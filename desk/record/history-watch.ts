import type { Logger } from 'pino';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { RepeatedRead } from '../../database/repeated-read.ts';
import {
  type RecordedHistory,
  RecordedHistoryReader,
  type RecordedHistoryOptions,
} from './recorded-history.ts';

export interface HistoryWatchOptions extends RecordedHistoryOptions {
  /** That of the record's role. */
  readonly record: ServerAddress;
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
    const { record, onHistory, log, everyMs = EVERY_MS } = options;
    const reader = new RecordedHistoryReader(options);
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
