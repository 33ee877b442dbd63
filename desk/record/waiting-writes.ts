import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import { RecordUnavailableError } from './record.ts';

/** A day of minutes, and more entries of the server's own than an event has. */
const MAX_MINUTES = 1_440;
const MAX_NOTES = 5_000;
/** Commands of operators; each is answered, or refused, at once. */
const MAX_APPENDS = 1_000;

/** An entry that is to be written; whoever waits for it is told. */
export interface WaitingEntry {
  readonly entry: LogEntry;
  readonly resolve?: (row: LogRow) => void;
  readonly reject?: (error: Error) => void;
}

/** What is to be written: bounded, and held until it is known to be recorded. */
export class WaitingWrites {
  readonly #minutes = new Map<number, Minute>();
  readonly #notes = new Map<string, WaitingEntry>();
  readonly #appends: WaitingEntry[] = [];
  /** Notes that were recorded once, in a database that another one has taken the place of. */
  readonly #lost = new Set<string>();
  /** How many notes were given up. */
  #lostNotes = 0;

  get minuteCount(): number {
    return this.#minutes.size;
  }

  /** How many entries were recorded once, and are not now. */
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

  /** The oldest ones; they stay until `recordedMinutes`. */
  nextMinutes(count: number): Minute[] {
    return [...this.#minutes.values()].toSorted((a, b) => a.minuteMs - b.minuteMs).slice(0, count);
  }

  recordedMinutes(minutesMs: Iterable<number>): void {
    for (const minuteMs of minutesMs) this.#minutes.delete(minuteMs);
  }

  /** Returns how many were given up so far. */
  addNote(entry: LogEntry): number {
    if (!this.#notes.has(entry.id)) this.#notes.set(entry.id, { entry });
    const [oldest] = this.#notes.keys();
    if (this.#notes.size > MAX_NOTES && oldest !== undefined) {
      this.#forget(oldest);
      this.#lostNotes += 1;
    }
    return this.#lostNotes;
  }

  /** It was recorded once, and is not now. */
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

  /** The next entry, the server's own first; it stays until `settled`. */
  nextEntry(): WaitingEntry | undefined {
    const [note] = this.#notes.values();
    return note ?? this.#appends[0];
  }

  /** It is recorded, or will never be. */
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

  /** Nothing that somebody waits for outlives the session that was to write it. */
  rejectAppends(reason: string): void {
    for (const { reject } of this.#appends.splice(0)) reject?.(new RecordUnavailableError(reason));
  }
}
