import type { LogEntry, LogRow } from '../model/log/flow-log.ts';
import type { Minute } from '../model/series/minute.ts';
import type { RecordListener } from './record.ts';
import type { Reading } from './record-session.ts';
import { RecentRows } from './recent-rows.ts';
import { WaitingWrites } from './waiting-writes.ts';

const DAY_MS = 86_400_000;
const NOTHING_READ: Reading = { minutes: [], foreignMs: [] };

/** What is known to be in the record, by whichever process, and what waits to be: a listener is told as it comes. */
export class RecordContents {
  readonly waiting = new WaitingWrites();
  listener: RecordListener | undefined;
  readonly #recent = new RecentRows();
  /** Of the last day. */
  #minutesMs = new Set<number>();
  #lastMinuteMs: number | undefined;
  #minutesWritten = 0;

  /** By this process. */
  get minutesWritten(): number {
    return this.#minutesWritten;
  }

  /** The newest minute that is recorded. */
  get lastMinuteMs(): number | undefined {
    return this.#lastMinuteMs;
  }

  /** When the minutes begin that are known to be recorded, from then on. */
  minutesMs(fromMs = -Infinity): readonly number[] {
    return [...this.#minutesMs].filter((minuteMs) => minuteMs >= fromMs);
  }

  hasMinute(minuteMs: number): boolean {
    return this.#minutesMs.has(minuteMs);
  }

  /** Whether this entry has lately been seen in the log. */
  hasEntry(id: string): boolean {
    return this.#recent.has(id);
  }

  /**
   * All that there is, read anew. Entries that were there before, and that the database has lost, wait to be written again:
   * returns how many.
   */
  load(log: readonly LogRow[], reading: Reading): number {
    this.#minutesMs = new Set();
    this.#lastMinuteMs = undefined;
    this.#remember(log, reading);
    const lost: readonly LogEntry[] = this.#recent.missingIn(log);
    for (const entry of lost) this.waiting.addLost(entry);
    this.#recent.add(log);
    this.listener?.loaded({ minutes: reading.minutes, log });
    return lost.length;
  }

  /** What was added since. */
  add(log: readonly LogRow[], reading: Reading = NOTHING_READ): void {
    this.#remember(log, reading);
    this.#recent.add(log);
    if (log.length > 0 || reading.minutes.length > 0) this.listener?.rows(log, reading.minutes);
  }

  /** Minutes that this process has added. */
  wrote(minutes: readonly Minute[]): void {
    this.#minutesWritten += minutes.length;
    this.add([], { minutes, foreignMs: [] });
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
