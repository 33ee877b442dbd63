import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { atPrimary, type ReadOptions, type ServerAddress } from './primary/at-primary.ts';
import { retryDelayMs } from './retry-delay.ts';
import { errorMessage } from './setup-error.ts';

export interface RepeatedReadOptions extends Omit<ReadOptions, 'signal'> {
  readonly everyMs: number;
  /** After a rejection it is called again, with pauses that grow up to `everyMs`. */
  readonly read: (reading: RepeatedRead) => Promise<void>;
  /** Receives each reason once, not with every attempt. */
  readonly onFailure: (reason: string) => void;
}

/** Repeats a read in separate sessions, so that no session of counts or record waits for it. */
export class RepeatedRead {
  readonly #options: RepeatedReadOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: RepeatedReadOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** It aborts when the reading is stopped. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Runs `work` in a new session, which ends with it, or earlier when the reading is stopped. */
  withSession<T>(address: ServerAddress, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const { name, statementTimeoutMs } = this.#options;
    return atPrimary(address, { name, statementTimeoutMs, signal: this.signal }, work);
  }

  async #run(): Promise<void> {
    const { everyMs, read, onFailure } = this.#options;
    const { signal } = this;
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
