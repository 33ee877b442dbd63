import type { LogEntry, LogKind, LogRow } from '../model/log/flow-log.ts';
import { type LogState, LogStateReader } from '../model/log/log-state.ts';
import type { FlowRecord } from '../record/record.ts';

type EntryOf<K extends LogKind> = Extract<LogEntry, { kind: K }>;
type RowOf<K extends LogKind> = Extract<LogRow, { kind: K }>;

/** The record keeps as many. */
const MAX_WAITING = 5_000;

/** Entries about alarms are written by one process at a time. */
const ALARM_KINDS: ReadonlySet<LogKind> = new Set(['alarm', 'alarm-joined', 'alarm-again', 'alarm-returned']);

/** Receives the server's own entries that are not recorded yet. */
export interface WaitingListener {
  /** The entry waits to be recorded; its row follows with the same id. */
  noted(entry: LogEntry): void;
  /** These entries will not be recorded: no row follows. */
  withdrawn(ids: readonly string[]): void;
}

/** The log of one event in this process. Adding a row takes constant time. */
export class EventLog {
  readonly #record: FlowRecord;
  readonly #listener: WaitingListener | undefined;
  #rows: LogRow[] = [];
  #byId = new Map<string, LogRow>();
  #byKind = new Map<LogKind, LogRow[]>();
  #reader = new LogStateReader();
  /** Ids of entries that this process has asked to be recorded. */
  readonly #noted = new Set<string>();
  /** Unrecorded ones among them, in order; the state includes them. */
  readonly #waiting = new Map<string, LogEntry>();
  /** Entries that were recorded and are to be again, in order; the state includes them. */
  #lost = new Map<string, LogEntry>();
  #lastCommandMs = -Infinity;

  constructor(record: FlowRecord, listener?: WaitingListener) {
    this.#record = record;
    this.#listener = listener;
  }

  /**
   * Replaces the log; it had `lost`, too, and will again. If another process has added entries about alarms meanwhile, this
   * one withdraws its own.
   */
  load(rows: readonly LogRow[], lost: readonly LogEntry[] = []): void {
    const isForeign = ({ kind, id }: LogRow): boolean =>
      ALARM_KINDS.has(kind) && !this.#byId.has(id) && !this.#waiting.has(id);
    const hasForeign = rows.some(isForeign);
    this.#lost = new Map(lost.map((entry) => [entry.id, entry]));
    this.#readAnew(rows);
    if (hasForeign) this.withdrawAlarms();
  }

  /** Adds the rows that follow the last one. */
  add(rows: readonly LogRow[]): void {
    for (const row of rows) {
      this.#append(row);
      const isIncluded = [this.#waiting, this.#lost].some((entries) => entries.delete(row.id));
      if (!isIncluded) this.#reader.add(row);
    }
  }

  /** The state, with the entries that are to be recorded. */
  get state(): LogState {
    return this.#reader.state;
  }

  get lastSeq(): number {
    return this.#rows.at(-1)?.seq ?? 0;
  }

  /** When an operator gave the last command. */
  get lastCommandMs(): number {
    return this.#lastCommandMs;
  }

  get(id: string): LogRow | undefined {
    return this.#byId.get(id);
  }

  /** Returns the entry with this id, recorded or waiting to be. */
  find(id: string): LogEntry | undefined {
    return this.#byId.get(id) ?? this.#lost.get(id) ?? this.#waiting.get(id);
  }

  /** Returns the newest entry of this kind, recorded or waiting to be. */
  newest<K extends LogKind>(kind: K): EntryOf<K> | RowOf<K> | undefined {
    const isOf = (entry: LogEntry): entry is EntryOf<K> => entry.kind === kind;
    return [...this.#lost.values(), ...this.#waiting.values()].findLast(isOf) ?? this.last(kind);
  }

  last<K extends LogKind>(kind: K): RowOf<K> | undefined {
    return this.of(kind).at(-1);
  }

  of<K extends LogKind>(kind: K): readonly RowOf<K>[] {
    return (this.#byKind.get(kind) ?? []) as RowOf<K>[];
  }

  /** Returns the first `limit` rows after `seq`, in order. */
  after(seq: number, limit = this.#rows.length): readonly LogRow[] {
    const start = Math.max(0, seq - (this.#rows[0]?.seq ?? 1) + 1);
    return this.#rows.slice(start, start + limit);
  }

  /** Records an entry of the server's own once: `make` is called unless the id is taken. */
  note(id: string, make: () => LogEntry): void {
    if (this.#noted.has(id) || this.#byId.has(id) || this.#lost.has(id)) return;
    this.#noted.add(id);
    const entry = make();
    this.#waiting.set(id, entry);
    this.#reader.add(entry);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    this.#listener?.noted(entry);
    this.#record.note(entry);
  }

  /** Withdraws waiting entries about alarms: another process writes those. */
  withdrawAlarms(): void {
    const ofAlarms = [...this.#waiting.values()].filter(({ kind }) => ALARM_KINDS.has(kind));
    if (ofAlarms.length === 0) return;
    for (const { id } of ofAlarms) {
      this.#waiting.delete(id);
      this.#noted.delete(id);
    }
    const ids = ofAlarms.map(({ id }) => id);
    this.#record.withdraw(ids);
    this.#listener?.withdrawn(ids);
    this.#readAnew(this.#rows);
  }

  /** Resolves with the row after its commit. @throws RecordUnavailableError */
  append(entry: LogEntry): Promise<LogRow> {
    return this.#record.append(entry);
  }

  #readAnew(rows: readonly LogRow[]): void {
    this.#rows = [];
    this.#byId = new Map();
    this.#byKind = new Map();
    this.#reader = new LogStateReader();
    for (const row of rows) {
      this.#append(row);
      this.#reader.add(row);
      this.#waiting.delete(row.id);
    }
    for (const entries of [this.#lost, this.#waiting])
      for (const entry of entries.values()) this.#reader.add(entry);
  }

  #append(row: LogRow): void {
    this.#rows.push(row);
    this.#byId.set(row.id, row);
    if (row.by !== null) this.#lastCommandMs = row.atMs;
    const sameKind = this.#byKind.get(row.kind);
    if (sameKind) sameKind.push(row);
    else this.#byKind.set(row.kind, [row]);
  }
}
