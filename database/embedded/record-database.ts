import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../primary/at-primary.ts';
import { retryDelayMs } from '../retry-delay.ts';
import { errorMessage } from '../setup-error.ts';
import type { DatabaseLog } from './cluster-supervisor.ts';
import {
  type AnnouncedBoard,
  type EmbeddedDatabase,
  startEmbeddedDatabase,
  urlsOf,
} from './embedded-database.ts';
import { freePort } from './free-port.ts';
import type { OwnFolder } from './own-folder.ts';
import type { Secrets } from './secrets.ts';

export interface RecordDatabaseOptions {
  readonly own: OwnFolder;
  readonly secrets: Secrets;
  /** 0: a free one. */
  readonly port: number;
  readonly board: AnnouncedBoard;
  readonly log: DatabaseLog;
}

/** The longest pause between two attempts to start it. */
const MAX_DELAY_MS = 10_000;

/**
 * The embedded PostgreSQL of a board whose tickets are elsewhere: it holds the record alone. The counts do not need it, so it
 * starts beside the board, and is retried where it cannot.
 */
export class RecordDatabase {
  readonly address: ServerAddress;
  readonly #options: RecordDatabaseOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #database: EmbeddedDatabase | undefined;
  #fault: string | undefined;

  static async open(options: RecordDatabaseOptions): Promise<RecordDatabase> {
    // The record connects to an address that is known before its server runs.
    const port = options.port === 0 ? await freePort() : options.port;
    return new RecordDatabase({ ...options, port });
  }

  private constructor(options: RecordDatabaseOptions) {
    this.#options = options;
    this.#running = this.#startUntilItRuns();
    this.address = {
      url: urlsOf(options.port, options.secrets).recordUrl,
      place: { dataDir: options.own.place.folder },
      started: this.#running,
    };
  }

  /** Why it does not run, or what will soon keep it from running; each with its fix. */
  get warning(): string | undefined {
    return this.#fault ?? this.#database?.notReadyReason ?? this.#database?.warning;
  }

  get freeDiskBytes(): number {
    return this.#database?.freeDiskBytes ?? Number.NaN;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#database?.stop();
  }

  async #startUntilItRuns(): Promise<void> {
    const { own, port, board, log } = this.#options;
    const { signal } = this.#stopping;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        this.#database = await startEmbeddedDatabase({ own, port, board, hasTickets: false, log, signal });
        this.#fault = undefined;
        return;
      } catch (error) {
        if (signal.aborted) return;
        const fault = `The embedded PostgreSQL, which keeps the record, does not start: ${errorMessage(error)}`;
        // One line per reason, not one per attempt.
        if (fault !== this.#fault) log(fault, 'error');
        this.#fault = fault;
      }
      await pause(retryDelayMs(failures, MAX_DELAY_MS), undefined, { signal }).catch(() => {});
    }
  }
}
