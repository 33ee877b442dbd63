import type { LogEntry, LogKind, Mark } from './flow-log.ts';

/** What holds after some entries of a log. */
export interface LogState {
  readonly gatesOpenAtMs: number | null;
  /** An operator's wins over what event_details says. */
  readonly kickOffAtMs: number | null;
  /** What event_details says, else what an operator set first: later ones postpone it. */
  readonly plannedKickOffAtMs: number | null;
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
export function makesIncomplete(mark: Mark): boolean {
  return mark !== 'suspended';
}

/** The state that follows from a log, or from as much of its beginning as is given. */
export function readLogState(log: readonly LogEntry[]): LogState {
  const takenBack = new Set(log.flatMap((entry) => (entry.kind === 'take-back' ? [entry.data.id] : [])));
  const revocable = log.filter(({ kind }) => CAN_BE_TAKEN_BACK.has(kind));
  const standing = log.filter(({ kind, id }) => !CAN_BE_TAKEN_BACK.has(kind) || !takenBack.has(id));
  const times = lastOf(standing, 'times')?.data;
  const marks = standing.flatMap((entry) =>
    entry.kind === 'mark'
      ? [
          {
            id: entry.id,
            mark: entry.data.mark,
            sector: entry.sector,
            sinceMs: entry.atMs,
            by: entry.by,
          },
        ]
      : [],
  );
  return {
    gatesOpenAtMs: times?.gatesOpenAtMs ?? null,
    kickOffAtMs: lastOf(standing, 'kick-off')?.data.kickOffAtMs ?? times?.kickOffAtMs ?? null,
    plannedKickOffAtMs:
      times?.kickOffAtMs ?? standing.find((entry) => entry.kind === 'kick-off')?.data.kickOffAtMs ?? null,
    marks,
    incomplete: incompleteBy(marks),
    entryClosedAtMs: standing.find(({ kind }) => kind === 'entry-closed')?.atMs ?? null,
    evacuatedAtMs: standing.find(({ kind }) => kind === 'evacuation')?.atMs ?? null,
    withdrawnImports: new Set(
      revocable.filter(({ kind, id }) => kind === 'import' && takenBack.has(id)).map(({ id }) => id),
    ),
    standing: new Set(revocable.filter(({ id }) => !takenBack.has(id)).map(({ id }) => id)),
  };
}

function lastOf<K extends LogKind>(
  log: readonly LogEntry[],
  kind: K,
): Extract<LogEntry, { kind: K }> | undefined {
  return log.findLast((entry): entry is Extract<LogEntry, { kind: K }> => entry.kind === kind);
}

function incompleteBy(marks: readonly MarkInForce[]): readonly IncompleteSector[] {
  const sinceMs = new Map<string | null, number>();
  for (const { mark, sector, sinceMs: markedMs } of marks) {
    if (makesIncomplete(mark) && !sinceMs.has(sector)) sinceMs.set(sector, markedMs);
  }
  return [...sinceMs].map(([sector, ms]) => ({ sector, sinceMs: ms }));
}
