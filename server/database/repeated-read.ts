import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { connectionFault, ConnectionFaultError, type ServerPlace } from './connection-fault.ts';
import { openSession, type Session } from './database-session.ts';
import { findPrimaryUrl } from './primary/primary-watch.ts';
import { retryDelayMs } from './retry-delay.ts';
import { errorMessage } from './setup-error.ts';

const END_LIMIT_MS = 300;

/** A database to read from: its primary, where the URL names several hosts. */
export interface ReadPlace {
  readonly url: string;
  readonly place: ServerPlace;
}

export interface RepeatedReadOptions {
  /** The application name of its sessions. */
  readonly name: string;
  readonly statementTimeoutMs: number;
  readonly everyMs: number;
  /** After a rejection it is called again, with pauses that grow up to `everyMs`. */
  readonly read: (reading: RepeatedRead) => Promise<void>;
  /** Receives each reason once, not with every attempt. */
  readonly onFailure: (reason: string) => void;
}

/** Repeats a read in sessions of its own, so that no session of counts or record waits for it. */
export class RepeatedRead {
  readonly #settings: Record<string, string>;
  readonly #stopping = new AbortController();
  readonly #sessions = new Set<Session>();
  readonly #running: Promise<void>;

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

  /** Runs `work` in a new session, which ends with it, or earlier when the reading is stopped. */
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
