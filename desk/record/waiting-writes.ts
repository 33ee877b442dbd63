import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import { RecordUnavailableError } from './record.ts';

/** A day of minutes, and more entries of the server than an event has. */
const MAX_MINUTES = 1_440;
const MAX_NOTES = 5_000;
/** Limits waiting commands of operators. */
const MAX_APPENDS = 1_000;

/** An entry to be written, and the promise of its row. */
export interface WaitingEntry {
  readonly entry: LogEntry;
  readonly resolve?: (row: LogRow) => void;
  readonly reject?: (error: Error) => void;
}

/** Bounded queues of minutes and entries, which stay until they are recorded. */
export class WaitingWrites {
  readonly #minutes = new Map<number, Minute>();
  readonly #notes = new Map<string, WaitingEntry>();
  readonly #appends: WaitingEntry[] = [];
  /** Ids of notes that a replaced database held. */
  readonly #lost = new Set<string>();
  #lostNotes = 0;

  get minuteCount(): number {
    return this.#minutes.size;
  }

  /** How many waiting entries a replaced database held. */
  get lostCount(): number {
    return this.#lost.size;
  }

  get isEmpty(): boolean {
    return this.#minutes.size === 0 && this.#notes.size === 0 && this.#appends.length === 0;
  }

  addMinute(minute: Minute): void {
    this.#minutes.set(minute.minuteMs, minute);
    if (this.#minutes.size > MAX_MINUTES) this.#minutes.delete(Math.min(...this.#minutes.keys()));
  }

  /** Returns the oldest minutes; they stay until `recordedMinutes`. */
  nextMinutes(count: number): Minute[] {
    return [...this.#minutes.values()].toSorted((a, b) => a.minuteMs - b.minuteMs).slice(0, count);
  }

  recordedMinutes(minutesMs: Iterable<number>): void {
    for (const minuteMs of minutesMs) this.#minutes.delete(minuteMs);
  }

  /** Returns how many notes have been dropped so far. */
  addNote(entry: LogEntry): number {
    if (!this.#notes.has(entry.id)) this.#notes.set(entry.id, { entry });
    const [oldest] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES && oldest !== undefined) {
      this.#forget(oldest);
      this.#lostNotes += 1;
    }
    return this.#lostNotes;
  }

  /** Adds an entry that a replaced database held. */
  addLost(entry: LogEntry): void {
    this.#lost.add(entry.id);
    this.addNote(entry);
  }

  append(entry: LogEntry): Promise<LogRow> {
    return new Promise((resolve, reject) => {
      if (this.#appends.length >= MAX_APPENDS) {
        reject(new RecordUnavailableError('Too many entries wait to be recorded: try again in a moment'));
      } else {
        this.#appends.push({ entry, resolve, reject });
      }
    });
  }

  /** Returns the next entry, the server's own first; it stays until `close`. */
  nextEntry(): WaitingEntry | undefined {
    const [note] = this.#notes.values();
    return note ?? this.#appends[0];
  }

  /** Removes an entry that is recorded, or never will be. */
  close(waiting: WaitingEntry): void {
    if (this.#appends[0] === waiting) this.#appends.shift();
    else this.#forget(waiting.entry.id);
  }

  recordedEntries(rows: readonly LogRow[]): void {
    this.withdraw(rows.map(({ id }) => id));
  }

  withdraw(ids: readonly string[]): void {
    for (const id of ids) this.#forget(id);
  }

  #forget(id: string): void {
    this.#notes.delete(id);
    this.#lost.delete(id);
  }

  /** Rejects the commands that wait when their session ends. */
  rejectAppends(reason: string): void {
    for (const { reject } of this.#appends.splice(0)) reject?.(new RecordUnavailableError(reason));
  }
}
