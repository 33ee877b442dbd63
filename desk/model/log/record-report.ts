import { type AlarmHistory, readAlarmHistory } from '../alarms/alarm-history.ts';
import type { LogKind, LogRow } from './flow-log.ts';
import { readTakenBack, type TakenBack } from './taken-back.ts';

type RowOf<K extends LogKind> = Extract<LogRow, { kind: K }>;

/** An operator's entry, and how it was taken back, if it was. */
export interface Statement {
  readonly row: LogRow;
  readonly takenBack: TakenBack | null;
}

/** The entries of a log by subject, each in order. */
export interface RecordReport {
  readonly alarms: readonly AlarmHistory[];
  /** Marks and estimates. */
  readonly marks: readonly Statement[];
  /** Entries about the event and about alarms. */
  readonly decisions: readonly Statement[];
  readonly occurrences: readonly Statement[];
  readonly lots: readonly RowOf<'lot'>[];
  readonly capacities: readonly RowOf<'capacities'>[];
  /** Interruptions: starts of a server, unavailable databases, gaps, and clocks that were set. */
  readonly interruptions: readonly RowOf<'started' | 'interrupted' | 'gap' | 'clock'>[];
  readonly forecasts: readonly JudgedForecast[];
}

export interface JudgedForecast {
  readonly made: RowOf<'forecast'>;
  /** Null if it was not judged. */
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
    capacities: of('capacities'),
    interruptions: of('started', 'interrupted', 'gap', 'clock'),
    forecasts: of('forecast').map((made) => ({ made, outcome: outcomes.get(made.id) ?? null })),
  };
}
