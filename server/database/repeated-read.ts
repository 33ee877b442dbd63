import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { connectionFault, ConnectionFaultError, type ServerPlace } from './connection-fault.ts';
import { openSession, type Session } from './database-session.ts';
import { findPrimaryUrl } from './primary/primary-watch.ts';
import { retryDelayMs } from './retry-delay.ts';
import { errorMessage } from './setup-error.ts';

const END_LIMIT_MS = 300;

/** Where something is read: of several hosts, it is the primary. */
export interface ReadPlace {
  readonly url: string;
  readonly place: ServerPlace;
}

export interface RepeatedReadOptions {
  /** What it is called in the database. */
  readonly name: string;
  readonly statementTimeoutMs: number;
  readonly everyMs: number;
  /** Where it rejects, it is called again, after pauses of up to `everyMs`. */
  readonly read: (reading: RepeatedRead) => Promise<void>;
  /** Is called once for a reason, and not for each attempt. */
  readonly onFailure: (reason: string) => void;
}

/** Reads something again and again, beside the sessions on which counts and record depend: nothing waits for it. */
export class RepeatedRead {
  readonly #settings: Record<string, string>;
  readonly #stopping = new AbortController();
  readonly #sessions = new Set<Session>();
  readonly #running: Promise<void>;

  /** Begins to. */
  constructor(options: RepeatedReadOptions) {
    this.#settings = {
      application_name: options.name,
      default_transaction_read_only: 'on',
      statement_timeout: String(options.statementTimeoutMs),
    };
    this.#running = this.#run(options);
  }

  /** Aborts when the reading is stopped. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#sessions].map((session) => session.end(END_LIMIT_MS)));
    await this.#running;
  }

  /** Runs `work` in a session of its own, which ends after it, and at once where the reading is stopped. */
  async withSession<T>({ url, place }: ReadPlace, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const { signal } = this.#stopping;
    const primaryUrl = await findPrimaryUrl(url, place, signal);
    signal.throwIfAborted();
    const session = openSession(primaryUrl, this.#settings);
    this.#sessions.add(session);
    try {
      return await work(session.sql);
    } catch (error) {
      const fault = connectionFault(error, place);
      throw fault ? new ConnectionFaultError(fault) : error;
    } finally {
      await session.end(END_LIMIT_MS);
      this.#sessions.delete(session);
    }
  }

  async #run({ everyMs, read, onFailure }: RepeatedReadOptions): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    let reported = '';
    while (!signal.aborted) {
      try {
        await read(this);
        failures = 0;
        reported = '';
      } catch (error) {
        failures += 1;
        const reason = errorMessage(error);
        if (!signal.aborted && reason !== reported) onFailure(reason);
        reported = reason;
      }
      const delayMs = failures === 0 ? everyMs : retryDelayMs(failures, everyMs);
      await pause(delayMs, undefined, { signal }).catch(() => {});
    }
  }
}
