import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { atPrimary, type ServerAddress } from '../../database/primary/at-primary.ts';
import { retryDelayMs } from '../../database/retry-delay.ts';
import { errorMessage } from '../../database/setup-error.ts';
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
  readonly #options: HistoryWatchOptions;
  readonly #reader: RecordedHistoryReader;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #reportedReason = '';

  constructor(options: HistoryWatchOptions) {
    this.#options = options;
    this.#reader = new RecordedHistoryReader(options);
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { record, everyMs = EVERY_MS, onHistory, log } = this.#options;
    const { signal } = this.#stopping;
    const session = { name: 'triagem earlier matches', statementTimeoutMs: STATEMENT_LIMIT_MS, signal };
    let failures = 0;
    let matches = 0;
    while (!signal.aborted) {
      try {
        const history = await atPrimary(record, session, (sql) => this.#reader.read(sql, Date.now()));
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

  /** One line per reason, not one per attempt. */
  #report(reason: string): void {
    if (reason === this.#reportedReason) return;
    this.#reportedReason = reason;
    this.#options.log.warn({ reason }, 'earlier matches cannot be read: forecasts go without new ones');
  }
}
