import type { LogEntry, LogKind, LogRow } from '../model/log/flow-log.ts';
import { type LogState, LogStateReader } from '../model/log/log-state.ts';
import type { FlowRecord } from '../record/record.ts';

type RowOf<K extends LogKind> = Extract<LogRow, { kind: K }>;

/** As many as the record keeps. */
const MAX_WAITING = 5_000;

/** What is said of alarms: by one process at a time. */
const ALARM_KINDS: ReadonlySet<LogKind> = new Set(['alarm', 'alarm-joined', 'alarm-again', 'alarm-returned']);

/** Told of entries of the server's own that are not recorded yet. */
export interface WaitingListener {
  /** It waits to be recorded; its row follows, with the same id. */
  noted(entry: LogEntry): void;
  /** These wait no longer: no row follows. */
  withdrawn(ids: readonly string[]): void;
}

/** The log of one event as this process knows it. One more row costs the same however many there are. */
export class EventLog {
  readonly #record: FlowRecord;
  readonly #listener: WaitingListener | undefined;
  #rows: LogRow[] = [];
  #byId = new Map<string, LogRow>();
  #byKind = new Map<LogKind, LogRow[]>();
  #reader = new LogStateReader();
  /** Ids of entries that this process has asked to be recorded. */
  readonly #noted = new Set<string>();
  /** Those of them that are not recorded yet, in their order: the state has them already. */
  readonly #waiting = new Map<string, LogEntry>();

  constructor(record: FlowRecord, listener?: WaitingListener) {
    this.#record = record;
    this.#listener = listener;
  }

  /**
   * The whole log, which takes the place of what was known. Where another process has said something of alarms meanwhile,
   * this one gives way.
   */
  load(rows: readonly LogRow[]): void {
    const isForeign = ({ kind, id }: LogRow): boolean =>
      ALARM_KINDS.has(kind) && !this.#byId.has(id) && !this.#waiting.has(id);
    const hasForeign = rows.some(isForeign);
    this.#readAnew(rows);
    if (hasForeign) this.withdrawAlarms();
  }

  /** What follows the last row. */
  add(rows: readonly LogRow[]): void {
    for (const row of rows) {
      this.#append(row);
      if (!this.#waiting.delete(row.id)) this.#reader.add(row);
    }
  }

  /** With what waits to be recorded. */
  get state(): LogState {
    return this.#reader.state;
  }

  get lastSeq(): number {
    return this.#rows.at(-1)?.seq ?? 0;
  }

  get(id: string): LogRow | undefined {
    return this.#byId.get(id);
  }

  /** Recorded, or waiting to be. */
  find(id: string): LogEntry | undefined {
    return this.#byId.get(id) ?? this.#waiting.get(id);
  }

  /** The newest of its kind. */
  last<K extends LogKind>(kind: K): RowOf<K> | undefined {
    return this.of(kind).at(-1);
  }

  /** All of a kind, in their order. */
  of<K extends LogKind>(kind: K): readonly RowOf<K>[] {
    return (this.#byKind.get(kind) ?? []) as RowOf<K>[];
  }

  /** Rows behind this one, in their order; the first `limit` of them. */
  after(seq: number, limit = this.#rows.length): readonly LogRow[] {
    const start = Math.max(0, seq - (this.#rows[0]?.seq ?? 1) + 1);
    return this.#rows.slice(start, start + limit);
  }

  /** Asks for an entry of the server's own to be recorded, once: `make` is called if it was not yet. */
  note(id: string, make: () => LogEntry): void {
    if (this.#noted.has(id) || this.#byId.has(id)) return;
    this.#noted.add(id);
    const entry = make();
    this.#waiting.set(id, entry);
    this.#reader.add(entry);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
    this.#listener?.noted(entry);
    this.#record.note(entry);
  }

  /** What waits and says something of alarms is no more: another process does. */
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
    for (const entry of this.#waiting.values()) this.#reader.add(entry);
  }

  #append(row: LogRow): void {
    this.#rows.push(row);
    this.#byId.set(row.id, row);
    const sameKind = this.#byKind.get(row.kind);
    if (sameKind) sameKind.push(row);
    else this.#byKind.set(row.kind, [row]);
  }
}
