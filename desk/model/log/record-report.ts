import { type AlarmHistory, readAlarmHistory } from '../alarms/alarm-history.ts';
import type { LogKind, LogRow } from './flow-log.ts';
import { readTakenBack, type TakenBack } from './taken-back.ts';

type RowOf<K extends LogKind> = Extract<LogRow, { kind: K }>;

/** What an operator said, and what became of it; null: it holds. */
export interface Statement {
  readonly row: LogRow;
  readonly takenBack: TakenBack | null;
}

/** A log sorted by what it tells, each kind in its order. */
export interface RecordReport {
  readonly alarms: readonly AlarmHistory[];
  /** With the estimates of who passed unread. */
  readonly marks: readonly Statement[];
  /** What was said of the event and of alarms. */
  readonly decisions: readonly Statement[];
  readonly occurrences: readonly Statement[];
  readonly lots: readonly RowOf<'lot'>[];
  /** What broke the watching: starts of a server, a database that was away, minutes that nobody watched, a clock that was set. */
  readonly interruptions: readonly RowOf<'started' | 'interrupted' | 'gap' | 'clock'>[];
  readonly forecasts: readonly JudgedForecast[];
}

export interface JudgedForecast {
  readonly made: RowOf<'forecast'>;
  /** Null: it was not judged. */
  readonly outcome: RowOf<'outcome'> | null;
}

export function readReport(log: readonly LogRow[]): RecordReport {
  const takenBack = readTakenBack(log);
  const outcomes = new Map(
    log.flatMap((row) => (row.kind === 'outcome' ? [[row.data.forecast, row] as const] : [])),
  );
  const of = <K extends LogKind>(...kinds: readonly K[]): RowOf<K>[] =>
    log.filter((row): row is RowOf<K> => (kinds as readonly LogKind[]).includes(row.kind));
  const statements = (...kinds: readonly LogKind[]): Statement[] =>
    of(...kinds).map((row) => ({ row, takenBack: takenBack.get(row.id) ?? null }));
  return {
    alarms: readAlarmHistory(log),
    marks: statements('mark', 'estimate'),
    decisions: statements('kick-off', 'entry-closed', 'evacuation', 'suspend'),
    occurrences: statements('occurrence'),
    lots: of('lot'),
    interruptions: of('started', 'interrupted', 'gap', 'clock'),
    forecasts: of('forecast').map((made) => ({ made, outcome: outcomes.get(made.id) ?? null })),
  };
}
