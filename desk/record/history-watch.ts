import type { Logger } from 'pino';
import type { ServerAddress } from '../../database/primary/at-primary.ts';
import { RepeatedRead } from '../../database/repeated-read.ts';
import {
  type RecordedHistory,
  RecordedHistoryReader,
  type RecordedHistoryOptions,
} from './recorded-history.ts';

export interface HistoryWatchOptions extends RecordedHistoryOptions {
  /** The address for the record's role. */
  readonly record: ServerAddress;
  /** Is called at the start, and after each import, withdrawal or end of a match. */
  readonly onHistory: (history: RecordedHistory) => void;
  readonly log: Logger;
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 60_000;
/** These statements hold no lock that another session waits for. */
const STATEMENT_LIMIT_MS = 30_000;

/** Reads earlier matches from the record, in sessions beside the one that writes. */
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
