import { createHash } from 'node:crypto';
import type { LogEntry, LogRow, StoredAt } from '../model/log/flow-log.ts';
import { chainedText } from '../model/log/log-chain.ts';
import type { Minute } from '../model/series/minute.ts';
import type { FlowRecord, RecordListener, RecordState } from './record.ts';

/** A repeated id is recognized among this many entries. */
const MAX_ENTRIES = 10_000;

/** A record in memory, for a server without a database for it. */
export class MemoryRecord implements FlowRecord {
  readonly isKept = false;
  readonly wasAddedTo = false;
  readonly state: RecordState = { kind: 'writer' };
  readonly minutesWaiting = 0;
  readonly entriesLost = 0;
  readonly storedAt: StoredAt = { host: null, timeline: null };
  readonly #eventId: string;
  readonly #rows = new Map<string, LogRow>();
  #listener: RecordListener | undefined;
  #minutesWritten = 0;
  #lastMinuteMs: number | undefined;
  #last: LogRow | undefined;

  constructor(eventId: string) {
    this.#eventId = eventId;
  }

  get minutesWritten(): number {
    return this.#minutesWritten;
  }

  get lastMinuteMs(): number | undefined {
    return this.#lastMinuteMs;
  }

  run(listener: RecordListener): void {
    this.#listener = listener;
    listener.loaded({ minutes: [], log: [] });
    listener.leader();
  }

  /** Only counts the minutes: the flow keeps them. */
  writeMinutes(minutes: readonly Minute[]): void {
    this.#minutesWritten += minutes.length;
    for (const { minuteMs } of minutes)
      this.#lastMinuteMs = Math.max(this.#lastMinuteMs ?? minuteMs, minuteMs);
    if (minutes.length > 0) this.#listener?.rows([], minutes);
  }

  async append(entry: LogEntry): Promise<LogRow> {
    const there = this.#rows.get(entry.id);
    if (there) return there;
    const last = this.#last;
    const row: LogRow = {
      ...entry,
      seq: (last?.seq ?? 0) + 1,
      previous: last ? createHash('sha256').update(chainedText(this.#eventId, last)).digest('hex') : '',
    };
    this.#last = row;
    this.#rows.set(row.id, row);
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > MAX_ENTRIES && oldest !== undefined) this.#rows.delete(oldest);
    this.#listener?.rows([row], []);
    return row;
  }

  note(entry: LogEntry): void {
    void this.append(entry);
  }

  withdraw(): void {}

  yieldLeadership(): boolean {
    return false;
  }

  setReachable(): void {}

  async stop(): Promise<void> {
    this.#listener = undefined;
  }
}
