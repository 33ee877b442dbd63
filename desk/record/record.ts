import type { LogEntry, LogRow, StoredAt } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { ReturnedPrimary } from '../../domain/returned-primary.ts';
import { OperatorError } from '../../domain/operator-error.ts';

/** What flowed, as it is kept: the minutes of one event and its log, which are only added to. */
export interface FlowRecord {
  readonly state: RecordState;
  /** Whether it outlives this process. False: in memory since the start. */
  readonly isKept: boolean;
  /** Minutes written by this process, and those that wait to be. */
  readonly minutesWritten: number;
  readonly minutesWaiting: number;
  /** Where what is known to be recorded is; `undefined`: it is not known now. */
  readonly storedAt: StoredAt | undefined;
  /** Entries that were recorded once and are not now: a database has taken the place of the one that held them. */
  readonly entriesLost: number;
  /** Whether it was last read again only because something else, as a restore, had added to it: it answered all the while. */
  readonly wasAddedTo: boolean;
  /** The newest minute that is recorded, by whichever process. */
  readonly lastMinuteMs: number | undefined;
  /** Begins. Whatever goes wrong is tried again for ever; `state` says what. Called once. */
  run(listener: RecordListener): void;
  /**
   * Waits until they can be written: in their order, at most those of a day, the oldest given up first. A minute that is
   * recorded stays as it is.
   */
  writeMinutes(minutes: readonly Minute[]): void;
  /**
   * Resolves after its commit with the row; with the one that is there where the id is recorded already. Where the answer
   * was lost on its way, whether it is recorded is not known: the same entry again tells, and is recorded once.
   *
   * @throws RecordUnavailableError unless this process writes.
   */
  append(entry: LogEntry): Promise<LogRow>;
  /**
   * The server's own entries: kept until they can be written, in their order, and given up when another process has
   * written the same id. Its id must derive from what it says, so that a repeated write changes nothing.
   */
  note(entry: LogEntry): void;
  /** Gives up those of its own entries that wait and have these ids. */
  withdraw(ids: readonly string[]): void;
  /**
   * Lets another process write that waits to: it may have watched what this one missed. Where there is none, or none takes
   * it, this one writes on, and `writer` is told again. False: nothing happens, as no other could or this one does not write.
   */
  yieldLeadership(): boolean;
  /** Whether whoever sends commands reaches this process. Where not, it lets another one write that is reached. */
  setReachable(isReachable: boolean): void;
  /** Within a second. What could be written by then is; nothing is told any more. */
  stop(): Promise<void>;
}

export type RecordState =
  /** This process writes. */
  | { readonly kind: 'writer' }
  /** Another one does, or has not let go yet. */
  | { readonly kind: 'standby' }
  /** The record cannot be reached or used; the reason names cause and fix. */
  | { readonly kind: 'away'; readonly reason: string };

/** Told in this order: loaded, rows…, and again from the beginning after each loss of the connection. */
export interface RecordListener {
  /** The minutes of the event's last recorded day, and its whole log: all that is known from here on. */
  loaded(record: { readonly minutes: readonly Minute[]; readonly log: readonly LogRow[] }): void;
  /** What was added since: by this process after its commit, or by another one. */
  rows(log: readonly LogRow[], minutes: readonly Minute[]): void;
  /** All that is recorded has been told: this process writes from now on, and wants every minute known that is not. */
  leader(): void;
  /** Again and again while this process writes: an operator has gone back on purpose to the primary with the record. */
  returned?(primary: ReturnedPrimary): void;
}

/** The record cannot be written now; the message says why. */
export class RecordUnavailableError extends OperatorError {
  override readonly name = 'RecordUnavailableError';
}
