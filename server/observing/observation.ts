import { performance } from 'node:perf_hooks';
import type postgres from 'postgres';
import type { ServerPlace } from '../database/connection-fault.ts';
import { ChangeDecoder } from './change-decoder.ts';
import { findFault, findWarning, fingerprint, readCatalogue } from './catalogue.ts';
import { openSession, type Session } from './database-session.ts';
import type { ObservingLimits } from './limits.ts';
import { isLockTimeout, ObservingFault } from './observing-fault.ts';
import { parseLsn, Passage } from './passage.ts';
import { checkServer, describeBlockers } from './preflight.ts';
import { ReplicationStream } from './replication-stream.ts';
import { SectorDocuments } from './sector-documents.ts';
import { readSnapshot } from './snapshot.ts';
import type { FeedObserver } from './ticket-feed.ts';

export interface ObservationOptions {
  readonly url: string;
  readonly place: ServerPlace;
  readonly eventId: string;
  readonly limits: ObservingLimits;
  readonly observer: FeedObserver;
  readonly onLive: () => void;
  readonly onLag: (behindMs: number) => void;
  /** `blocker` says which transactions the slot waits for. */
  readonly onWait: (blocker: string) => void;
  /** After each look at the catalogue; undefined: nothing is wrong. */
  readonly onWarning: (warning: string | undefined) => void;
}

/**
 * One epoch: a snapshot and the stream of what was committed after it, on one replication connection and one
 * ordinary connection. It is live while it has passed a recent position of the log and the catalogue is still
 * the one of its snapshot: a stream cut from its table goes on without an error.
 */
export class Observation {
  readonly #options: ObservationOptions;
  readonly #session: Session;
  readonly #stream: ReplicationStream;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #failed: Promise<never>;
  #fail: (reason: unknown) => void = () => {};
  #passage: Passage | undefined;
  #fingerprint = '';
  #live = false;
  #checking = false;
  #over = false;

  constructor(options: ObservationOptions) {
    this.#options = options;
    this.#session = openSession(options.url, {
      // Tells the gates tool which event a board shows.
      application_name: `triagem board ${options.eventId}`,
      statement_timeout: '0',
      row_security: 'off',
    });
    this.#stream = new ReplicationStream(options.url, options.limits);
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#failed.catch(() => {});
  }

  /** The counts told so far were right at this instant of `performance.now()`; `undefined`: none were told. */
  get rightAtMs(): number | undefined {
    return this.#passage?.passedAtMs;
  }

  /** Never resolves; rejects with what ended it. */
  run(): Promise<void> {
    return Promise.race([this.#prepare().then(() => this.#failed), this.#failed]);
  }

  /** Resolves once the database holds nothing of ours, or has gone silent. */
  async stop(): Promise<void> {
    this.#over = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#fail(new ObservingFault('The observation was ended', { canPass: true }));
    await Promise.all([this.#stream.stop(), this.#session.end()]);
  }

  async #prepare(): Promise<void> {
    const { sql } = this.#session;
    const { place, observer, eventId, limits } = this.#options;
    await this.#within(limits.silenceMs, checkServer(sql, place));
    const name = await this.#createSlot(sql);
    const takenAtMs = performance.now();
    // The exported snapshot dies with the next command on the replication connection: read it before.
    const { snapshot, catalogue } = await this.#within(limits.snapshotMs, readSnapshot(sql, name, eventId));
    // What was on its way when we stopped may still arrive; by now another observation may be the one that counts.
    if (this.#over) return;
    const fault = findFault(catalogue);
    if (fault) throw fault;
    this.#fingerprint = fingerprint(catalogue);
    this.#passage = new Passage(takenAtMs);
    this.#passage.read(parseLsn(catalogue.lsn), takenAtMs);
    observer.snapshot(snapshot);
    // In the same breath, so that no screen takes the fresh counts for stale ones; from here on they grow old.
    this.#judge();
    this.#every(250, () => this.#judge());

    const sectors = new SectorDocuments(eventId, snapshot.sectors);
    const decoder = new ChangeDecoder(observer, sectors);
    const starting = this.#stream.start({
      message: (message) => decoder.decode(message),
      passed: (lsn) => this.#pass(lsn),
      ended: (reason) => this.#fail(reason),
    });
    await this.#within(limits.silenceMs, starting);
    if (this.#over) return;
    this.#every(limits.checkEveryMs, () => void this.#check());
    void this.#check();
  }

  /** Waits for as long as transactions that write stay open, and says which. */
  async #createSlot(sql: postgres.Sql): Promise<string> {
    const { onWait, limits } = this.#options;
    const say = (): void => {
      this.#within(limits.silenceMs, describeBlockers(sql)).then(
        (blocker) => this.#over || onWait(blocker),
        (error) => this.#fail(error),
      );
    };
    const saying = setInterval(say, 1_000);
    this.#timers.push(saying);
    try {
      for (;;) {
        try {
          // The database gives its own wait up after slotPatienceMs: what lasts longer is a silent connection.
          return await this.#within(limits.slotPatienceMs + limits.silenceMs, this.#stream.createSlot());
        } catch (error) {
          if (!isLockTimeout(error)) throw error;
        }
      }
    } finally {
      clearInterval(saying);
    }
  }

  async #within<T>(limitMs: number, answer: Promise<T>): Promise<T> {
    const silent = (): void =>
      this.#fail(new ObservingFault('The database does not answer', { canPass: true }));
    const timer = setTimeout(silent, limitMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  #every(intervalMs: number, action: () => void): void {
    this.#timers.push(setInterval(action, intervalMs));
  }

  #pass(lsn: bigint): void {
    this.#passage?.pass(lsn);
    if (!this.#live) this.#judge();
  }

  #judge(): void {
    const { limits, observer, onLive, onLag } = this.#options;
    if (this.rightAtMs === undefined) return;
    const behindMs = performance.now() - this.rightAtMs;
    if (!this.#live && behindMs <= limits.staleAfterMs) {
      this.#live = true;
      observer.live();
      onLive();
    } else if (this.#live && behindMs > limits.staleAfterMs) {
      this.#live = false;
      observer.stale('lag', this.rightAtMs);
      onLag(behindMs);
    }
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    try {
      const startedAtMs = performance.now();
      const catalogue = await this.#within(this.#options.limits.silenceMs, readCatalogue(this.#session.sql));
      const fault = findFault(catalogue);
      if (fault) throw fault;
      if (fingerprint(catalogue) !== this.#fingerprint) {
        throw new ObservingFault('The table, its publication or its identity index was made anew', {
          canPass: true,
        });
      }
      this.#options.onWarning(findWarning(catalogue));
      this.#passage?.read(parseLsn(catalogue.lsn), startedAtMs);
      this.#stream.ask();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#checking = false;
    }
  }
}
