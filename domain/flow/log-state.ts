import type { LogEntry, Mark } from './flow-log.ts';

/** What holds after some entries of a log. */
export interface LogState {
  readonly gatesOpenAtMs: number | undefined;
  /** An operator's wins over the table's. */
  readonly kickOffAtMs: number | undefined;
  /** In the order in which they were set. */
  readonly marks: readonly MarkInForce[];
  /** Whose counts are incomplete since when; each sector once. */
  readonly incomplete: readonly IncompleteSector[];
  readonly entryClosedAtMs: number | undefined;
  readonly evacuatedAtMs: number | undefined;
  /** The ids of the imports that were taken back. */
  readonly withdrawnImports: ReadonlySet<string>;
}

export interface MarkInForce {
  /** Of the entry, which a `take-back` names. */
  readonly id: string;
  readonly mark: Mark;
  readonly sector: string | null;
  readonly sinceMs: number;
  readonly by: string | null;
}

export interface IncompleteSector {
  /** Null: the whole event. */
  readonly sector: string | null;
  readonly sinceMs: number;
}

/** The state that follows from the whole log, or from its beginning as far as it is given. */
export declare function readLogState(log: Iterable<LogEntry>): LogState;
