import type { Alarm, Suspension } from './alarms/alarm.ts';
import { alarmsAfter, NO_ALARMS } from './alarms/alarm-states.ts';
import type { LogEntry, LogKind, Mark } from './flow-log.ts';
import { MINUTE_MS } from './minute.ts';

/** What holds after some entries of a log. */
export interface LogState {
  readonly gatesOpenAtMs: number | null;
  /** An operator's wins over what event_details says. */
  readonly kickOffAtMs: number | null;
  /** In the order in which they were set. */
  readonly marks: readonly MarkInForce[];
  /** Whose counts are incomplete since when, each sector once, in the order in which they became so. */
  readonly incomplete: readonly IncompleteSector[];
  readonly entryClosedAtMs: number | null;
  readonly evacuatedAtMs: number | null;
  /** When a mark, the closing of the entry or an evacuation was last taken back, by sector; null: of the whole event. */
  readonly resumedAtMs: ReadonlyMap<string | null, number>;
  /** In the order in which they were raised. */
  readonly alarms: readonly Alarm[];
  /** When an alarm that a sector had stopped was last over, by the sector's code. */
  readonly stopOverAtMs: ReadonlyMap<string, number>;
  /** The newest of each rule and sector that was not taken back, also after its end. */
  readonly suspensions: readonly Suspension[];
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
  'suspend',
]);

/** What keeps the rules of alarms from being applied. */
const SILENCES_RULES: ReadonlySet<LogKind> = new Set(['mark', 'entry-closed', 'evacuation']);

/** People enter and are not counted here. Where the entry is suspended, nobody enters: the count is right. */
const MAKES_INCOMPLETE: ReadonlySet<Mark> = new Set(['unscanned', 'elsewhere']);

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
  const { inForce, stopOverAtMs } = log.reduce(alarmsAfter, NO_ALARMS);
  return {
    gatesOpenAtMs: times?.gatesOpenAtMs ?? null,
    kickOffAtMs: lastOf(standing, 'kick-off')?.data.kickOffAtMs ?? times?.kickOffAtMs ?? null,
    marks,
    incomplete: incompleteBy(marks),
    entryClosedAtMs: standing.find(({ kind }) => kind === 'entry-closed')?.atMs ?? null,
    evacuatedAtMs: standing.find(({ kind }) => kind === 'evacuation')?.atMs ?? null,
    resumedAtMs: resumedBy(log),
    alarms: [...inForce.values()],
    stopOverAtMs,
    suspensions: suspensionsBy(standing),
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
    if (MAKES_INCOMPLETE.has(mark) && !sinceMs.has(sector)) sinceMs.set(sector, markedMs);
  }
  return [...sinceMs].map(([sector, ms]) => ({ sector, sinceMs: ms }));
}

function resumedBy(log: readonly LogEntry[]): ReadonlyMap<string | null, number> {
  const silencing = new Map(
    log.filter(({ kind }) => SILENCES_RULES.has(kind)).map((entry) => [entry.id, entry]),
  );
  const resumedAtMs = new Map<string | null, number>();
  for (const { kind, data, atMs } of log) {
    const taken = kind === 'take-back' ? silencing.get(data.id) : undefined;
    if (taken) resumedAtMs.set(taken.sector, Math.max(resumedAtMs.get(taken.sector) ?? atMs, atMs));
  }
  return resumedAtMs;
}

function suspensionsBy(standing: readonly LogEntry[]): readonly Suspension[] {
  const newest = new Map<string, Suspension>();
  for (const { id, kind, sector, atMs, by, data } of standing) {
    if (kind !== 'suspend') continue;
    const { rule, minutes, reason } = data;
    const untilMs = atMs + minutes * MINUTE_MS;
    newest.set(JSON.stringify([rule, sector]), { id, rule, sector, sinceMs: atMs, untilMs, reason, by });
  }
  return [...newest.values()];
}
