import type { LogEntry, LogKind, Mark } from './flow-log.ts';

type Times = Extract<LogEntry, { kind: 'times' }>['data'];

/** What holds after some entries of a log. */
export interface LogState {
  readonly gatesOpenAtMs: number | null;
  /** An operator's wins over what event_details says. */
  readonly kickOffAtMs: number | null;
  readonly isKickOffOfDesk: boolean;
  /** In the order in which they were set. */
  readonly marks: readonly MarkInForce[];
  /** Whose counts are incomplete since when, each sector once, in the order in which they became so. */
  readonly incomplete: readonly IncompleteSector[];
  readonly entryClosedAtMs: number | null;
  readonly evacuatedAtMs: number | null;
  /** The ids of the imports that were taken back. */
  readonly withdrawnImports: ReadonlySet<string>;
  /** The ids of the entries that a `take-back` can name. */
  readonly standing: ReadonlySet<string>;
  /** The ids that a `take-back` has named. */
  readonly takenBack: ReadonlySet<string>;
}

export interface MarkInForce {
  /** Of its entry. */
  readonly id: string;
  readonly mark: Mark;
  readonly sector: string | null;
  readonly sinceMs: number;
  readonly by: string | null;
}

interface IncompleteSector {
  /** Null: all of them. */
  readonly sector: string | null;
  readonly sinceMs: number;
}

const CAN_BE_TAKEN_BACK: ReadonlySet<LogKind> = new Set([
  'mark',
  'kick-off',
  'entry-closed',
  'evacuation',
  'occurrence',
  'import',
]);

/** People enter and are not counted here. Where the entry is suspended, nobody enters: the count is right. */
const MAKES_INCOMPLETE: ReadonlySet<Mark> = new Set(['unscanned', 'elsewhere']);

/** The state that follows from a log, or from as much of its beginning as is given. */
export function readLogState(log: readonly LogEntry[]): LogState {
  const reader = new LogStateReader();
  for (const entry of log) reader.add(entry);
  return reader.state;
}

/** The same, entry by entry: one more costs the same however long the log is. */
export class LogStateReader {
  readonly #takenBack = new Set<string>();
  readonly #standing = new Set<string>();
  readonly #imports = new Set<string>();
  readonly #withdrawnImports = new Set<string>();
  readonly #marks = new Map<string, MarkInForce>();
  readonly #closed = new Map<string, number>();
  readonly #evacuated = new Map<string, number>();
  /** Of operators, those that were taken back last among them. */
  readonly #kickOffs: { readonly id: string; readonly kickOffAtMs: number }[] = [];
  #times: Times = { gatesOpenAtMs: null, kickOffAtMs: null };
  #state: LogState | undefined;

  add(entry: LogEntry): void {
    this.#state = undefined;
    if (entry.kind === 'times') this.#times = entry.data;
    if (entry.kind === 'take-back') this.#takeBack(entry.data.id);
    if (CAN_BE_TAKEN_BACK.has(entry.kind)) this.#stand(entry);
  }

  /** As of the last entry; its sets change with the next one. */
  get state(): LogState {
    return (this.#state ??= this.#read());
  }

  #stand(entry: LogEntry): void {
    const { id, kind, atMs, sector, by } = entry;
    if (this.#takenBack.has(id)) {
      if (kind === 'import') this.#withdrawnImports.add(id);
      return;
    }
    this.#standing.add(id);
    if (kind === 'mark') {
      this.#marks.set(id, { id, mark: entry.data.mark, sector, sinceMs: atMs, by });
    } else if (kind === 'kick-off') {
      this.#kickOffs.push({ id, kickOffAtMs: entry.data.kickOffAtMs });
    } else if (kind === 'entry-closed') {
      this.#closed.set(id, atMs);
    } else if (kind === 'evacuation') {
      this.#evacuated.set(id, atMs);
    } else if (kind === 'import') {
      this.#imports.add(id);
    }
  }

  #takeBack(id: string): void {
    this.#takenBack.add(id);
    this.#standing.delete(id);
    this.#marks.delete(id);
    this.#closed.delete(id);
    this.#evacuated.delete(id);
    if (this.#imports.delete(id)) this.#withdrawnImports.add(id);
    while (this.#takenBack.has(this.#kickOffs.at(-1)?.id ?? '')) this.#kickOffs.pop();
  }

  #read(): LogState {
    const marks = [...this.#marks.values()];
    const ofDesk = this.#kickOffs.at(-1);
    return {
      gatesOpenAtMs: this.#times.gatesOpenAtMs,
      kickOffAtMs: ofDesk?.kickOffAtMs ?? this.#times.kickOffAtMs,
      isKickOffOfDesk: ofDesk !== undefined,
      marks,
      incomplete: incompleteBy(marks),
      entryClosedAtMs: firstOf(this.#closed),
      evacuatedAtMs: firstOf(this.#evacuated),
      withdrawnImports: this.#withdrawnImports,
      standing: this.#standing,
      takenBack: this.#takenBack,
    };
  }
}

function firstOf(times: ReadonlyMap<string, number>): number | null {
  const [first = null] = times.values();
  return first;
}

function incompleteBy(marks: readonly MarkInForce[]): readonly IncompleteSector[] {
  const sinceMs = new Map<string | null, number>();
  for (const { mark, sector, sinceMs: markedMs } of marks) {
    if (MAKES_INCOMPLETE.has(mark) && !sinceMs.has(sector)) sinceMs.set(sector, markedMs);
  }
  return [...sinceMs].map(([sector, ms]) => ({ sector, sinceMs: ms }));
}
