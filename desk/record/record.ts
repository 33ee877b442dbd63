import type { LogEntry, LogRow, StoredAt } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { ReturnedPrimary } from '../../domain/returned-primary.ts';
import { OperatorError } from '../../domain/operator-error.ts';

/** The record of one event: its minutes and its log, both append-only. */
export interface FlowRecord {
  readonly state: RecordState;
  /** Whether the record outlives this process; otherwise it is in memory. */
  readonly isKept: boolean;
  /** Minutes that this process has written, and those that wait. */
  readonly minutesWritten: number;
  readonly minutesWaiting: number;
  /** The database that holds the record; `undefined` while it is not known. */
  readonly storedAt: StoredAt | undefined;
  /** Entries that were recorded in a database which another one has replaced, and are to be written again. */
  readonly entriesLost: number;
  /** Whether it was last read again only because something else, as a restore, had added to it; it was available throughout. */
  readonly wasAddedTo: boolean;
  /** The newest recorded minute, of any process. */
  readonly lastMinuteMs: number | undefined;
  /** Starts the record; it is called once. Faults are retried for ever; `state` has the reason. */
  run(listener: RecordListener): void;
  /**
   * Writes the minutes once that is possible, in order: at most a day of them waits, and the oldest are dropped first. Recorded
   * minutes never change.
   */
  writeMinutes(minutes: readonly Minute[]): void;
  /**
   * Resolves with the row after its commit, or with the existing row of the same id. If the answer is lost, appending the same
   * entry again is safe.
   *
   * @throws RecordUnavailableError unless this process is the leader
   */
  append(entry: LogEntry): Promise<LogRow>;
  /**
   * Writes an entry of the server's own once that is possible, in order, unless another process has written the same id. The
   * id must derive from the contents, so that a repeated write changes nothing.
   */
  note(entry: LogEntry): void;
  /** Drops waiting entries of the server's own with these ids. */
  withdraw(ids: readonly string[]): void;
  /**
   * Lets a waiting process lead, which may have observed what this one missed. If none takes over, this process continues, and
   * `leader` is called again. Returns false, and does nothing, if this process is not the leader or nobody else could be.
   */
  yieldLeadership(): boolean;
  /** Sets whether commands can reach this process. If not, it yields to one that they can reach. */
  setReachable(isReachable: boolean): void;
  /** Stops within a second, after writing what can be written. The listener is called no more. */
  stop(): Promise<void>;
}

export type RecordState =
  /** This process is the leader: it writes the record. */
  | { readonly kind: 'writer' }
  /** Another process leads, or still holds the lock. */
  | { readonly kind: 'standby' }
  /** The record is unavailable; the reason names cause and fix. */
  | { readonly kind: 'away'; readonly reason: string };

/** Receives `loaded`, then `rows` any number of times; `loaded` again after each lost connection. */
export interface RecordListener {
  /**
   * Replaces all contents: the minutes of the last recorded day, and the whole log. `lost`: entries that were in it, and are
   * to be written again; absent: none. `areOfOneCommit`: the minutes may be restored ones.
   */
  loaded(record: {
    readonly minutes: readonly Minute[];
    readonly log: readonly LogRow[];
    readonly lost?: readonly LogEntry[];
    readonly areOfOneCommit?: boolean;
  }): void;
  /** Rows that were added since, by this process after their commit or by another one. */
  rows(log: readonly LogRow[], minutes: readonly Minute[]): void;
  /** This process leads from now on, and has received all contents. It is to be given all unrecorded minutes. */
  leader(): void;
  /** Is called repeatedly while this process leads: an operator has returned to this primary on purpose. */
  returned?(primary: ReturnedPrimary): void;
}

export class RecordUnavailableError extends OperatorError {
  override readonly name = 'RecordUnavailableError';
}
