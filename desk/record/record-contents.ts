import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { RecordListener } from './record.ts';
import type { Reading } from './record-session.ts';
import { WaitingWrites } from './waiting-writes.ts';

/** Minutes and rows are kept so long: the halves of a fleet may be separated as long, each with its own primary. */
const DAY_MS = 86_400_000;
const MAX_ROWS = 20_000;

/** Rows of the log that were seen within the last day: a database that has replaced another one may lack them. */
class RecentRows {
  readonly #rows = new Map<string, { readonly row: LogRow; readonly seenAtMs: number }>();

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  add(rows: readonly LogRow[]): void {
    const seenAtMs = performance.now();
    for (const row of rows) this.#rows.set(row.id, { row, seenAtMs });
    for (const [id, oldest] of this.#rows) {
      if (this.#rows.size <= MAX_ROWS && seenAtMs - oldest.seenAtMs <= DAY_MS) break;
      this.#rows.delete(id);
    }
  }

  /** Returns the rows that a whole log lacks, in order, as entries. */
  missingIn(log: readonly LogRow[]): LogEntry[] {
    const there = new Set(log.map(({ id }) => id));
    const missing = [...this.#rows.values()].filter(({ row }) => !there.has(row.id));
    return missing.map(({ row: { seq: _seq, previous: _previous, ...entry } }) => entry as LogEntry);
  }
}

const NOTHING_READ: Reading = { minutes: [], foreignMs: [], areOfOneCommit: false };

/** The known contents of the record, of any process, and what waits to be written; a listener gets each addition. */
export class RecordContents {
  readonly waiting = new WaitingWrites();
  listener: RecordListener | undefined;
  readonly #recent = new RecentRows();
  /** Recorded minutes of the last day. */
  #minutesMs = new Set<number>();
  #lastMinuteMs: number | undefined;
  #minutesWritten = 0;

  get minutesWritten(): number {
    return this.#minutesWritten;
  }

  get lastMinuteMs(): number | undefined {
    return this.#lastMinuteMs;
  }

  /** Returns the beginnings of the recorded minutes from `fromMs` on. */
  minutesMs(fromMs = -Infinity): readonly number[] {
    return [...this.#minutesMs].filter((minuteMs) => minuteMs >= fromMs);
  }

  hasMinute(minuteMs: number): boolean {
    return this.#minutesMs.has(minuteMs);
  }

  /** Whether this entry has been seen in the log within the last day. */
  hasEntry(id: string): boolean {
    return this.#recent.has(id);
  }

  /**
   * Replaces the contents. Entries that the database has lost since wait to be written again: returns how many.
   */
  load(log: readonly LogRow[], reading: Reading): number {
    this.#minutesMs = new Set();
    this.#lastMinuteMs = undefined;
    this.#remember(log, reading);
    const lost: readonly LogEntry[] = this.#recent.missingIn(log);
    for (const entry of lost) this.waiting.addLost(entry);
    this.#recent.add(log);
    const { minutes, areOfOneCommit } = reading;
    this.listener?.loaded({ minutes, log, lost, areOfOneCommit });
    return lost.length;
  }

  /** Adds newer contents. */
  add(log: readonly LogRow[], reading: Reading = NOTHING_READ): void {
    this.#remember(log, reading);
    this.#recent.add(log);
    if (log.length > 0 || reading.minutes.length > 0) this.listener?.rows(log, reading.minutes);
  }

  /** Adds minutes that this process has written. */
  wrote(minutes: readonly Minute[]): void {
    this.#minutesWritten += minutes.length;
    this.add([], { ...NOTHING_READ, minutes });
  }

  #remember(log: readonly LogRow[], { minutes, foreignMs }: Reading): void {
    const minutesMs = [...minutes.map(({ minuteMs }) => minuteMs), ...foreignMs];
    for (const minuteMs of minutesMs) {
      this.#minutesMs.add(minuteMs);
      this.#lastMinuteMs = Math.max(this.#lastMinuteMs ?? minuteMs, minuteMs);
    }
    for (const minuteMs of this.#minutesMs) {
      if (minuteMs <= (this.#lastMinuteMs ?? 0) - DAY_MS) this.#minutesMs.delete(minuteMs);
    }
    this.waiting.recordedMinutes(minutesMs);
    this.waiting.recordedEntries(log);
  }
}
