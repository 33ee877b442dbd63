import type { Alarm } from '../model/alarms/alarm.ts';
import type { AlarmEvaluation } from '../model/alarms/evaluation.ts';
import { currentTotals } from '../model/series/current-figures.ts';
import type { ReadingCount } from '../model/desk-readings.ts';
import type { DeskFigures, DeskState } from '../model/desk-state.ts';
import type { SeriesReading } from '../model/series/series-reading.ts';
import type { Forecast } from '../model/forecast/forecast.ts';
import type { TrackRecord } from '../model/forecast/track-record.ts';
import type { LogState } from '../model/log/log-state.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import { readRates } from '../model/series/rates.ts';
import { uncountedMarks } from '../model/log/uncounted.ts';
import type { SourceState } from '../../domain/live-message.ts';
import type { Sector } from '../../domain/venue.ts';
import { groundCapacity } from '../../domain/permitted-capacity.ts';
import type { FlowRecord } from '../record/record.ts';

export interface DeskSources {
  readonly eventId: string;
  /** The time of the flow's clock. */
  readonly nowMs: number;
  readonly timeZone: string;
  readonly source: SourceState;
  readonly series: SeriesReading;
  readonly sectors: readonly Sector[];
  /** The permitted capacity of each sector; null where none is set. */
  readonly capacities: readonly (number | null)[];
  readonly log: LogState;
  /** The `seq` of the log's newest row; 0 before the first. */
  readonly lastSeq: number;
  /** `undefined` before the first. */
  readonly evaluation: AlarmEvaluation | undefined;
  readonly forecast: Forecast;
  readonly trackRecord: readonly TrackRecord[];
  readonly lastMinuteMs: number | undefined;
  readonly record: Pick<FlowRecord, 'state' | 'isKept' | 'minutesWaiting'>;
  readonly isUnread?: boolean | undefined;
  readonly readings?: readonly ReadingCount[] | undefined;
  readonly isSplit?: boolean | undefined;
}

export function describeDesk(sources: DeskSources): DeskState {
  const { eventId, nowMs, timeZone, source, series, sectors, log, evaluation, record, capacities } = sources;
  const rows = [...sectors.map(({ code }) => code), ''].map((code, place) =>
    describeRow(sources, code, place, capacities[place] ?? null),
  );
  return {
    eventId,
    timeZone,
    nowMs: Math.round(nowMs),
    source,
    times: {
      gatesOpenAtMs: log.gatesOpenAtMs,
      kickOffAtMs: log.kickOffAtMs,
      isKickOffOfDesk: log.isKickOffOfDesk,
      plannedKickOffAtMs: log.plannedKickOffAtMs,
    },
    total: {
      ...figuresAt(series, undefined),
      capacity: groundCapacity(capacities),
      lastEntryAtMs: latest(rows.map(({ lastEntryAtMs }) => lastEntryAtMs)),
      incompleteSinceMs: incompleteSinceMs(log, null),
      entriesPerHour: groundEntriesPerHour(sectors),
    },
    rows,
    marks: [...log.uncounted.filter(({ endedAtMs }) => endedAtMs !== undefined), ...log.marks],
    entryClosedAtMs: log.entryClosedAtMs,
    evacuatedAtMs: log.evacuatedAtMs,
    watch: { atMs: evaluation?.atMs ?? null, waits: evaluation?.waits ?? null },
    alarms: log.alarms.map((alarm) => withNow(alarm, evaluation)),
    suspensions: log.suspensions.filter(({ untilMs }) => untilMs > nowMs),
    forecast: sources.forecast,
    trackRecord: sources.trackRecord,
    lastMinuteMs: sources.lastMinuteMs ?? null,
    lastSeq: sources.lastSeq,
    record: {
      state: record.state,
      isKept: record.isKept,
      minutesWaiting: record.minutesWaiting,
      isUnread: sources.isUnread || undefined,
    },
    readings: sources.readings,
    isSplit: sources.isSplit || undefined,
  };
}

/** An active drop has what its rule compares now: the same sectors and the same window as when it was raised. */
function withNow(alarm: Alarm, evaluation: AlarmEvaluation | undefined): Alarm {
  const finding = evaluation?.findings.find(
    ({ rule, sector }) => rule === alarm.rule && sector === alarm.sector,
  );
  if (finding?.verdict !== 'holds') return alarm;
  const isDrop = finding.rule === 'dropped' || finding.rule === 'ground-dropped';
  return isDrop ? { ...alarm, now: finding.figures } : alarm;
}

function describeRow(
  { series, log, evaluation, sectors }: DeskSources,
  code: string,
  place: number,
  capacity: number | null,
): DeskState['rows'][number] {
  return {
    code,
    state: evaluation?.sectors[place] ?? 'unknown',
    ...figuresAt(series, place),
    capacity,
    lastEntryAtMs: series.lastEntryAtMs(place) ?? null,
    incompleteSinceMs: incompleteSinceMs(log, code),
    entriesPerHour: sectors[place]?.entriesPerHour,
    contact: sectors[place]?.contact,
  };
}

function figuresAt(
  series: SeriesReading,
  sector: number | undefined,
): Omit<DeskFigures, 'capacity' | 'lastEntryAtMs' | 'incompleteSinceMs' | 'entriesPerHour'> {
  const { lastMinute, meanOfFive, bestOfFive } = readRates(series, sector);
  const { admitted, valid, invalid } = currentTotals(series, sector);
  return {
    admitted,
    valid,
    invalid: invalid === 0 ? undefined : invalid,
    lastMinute,
    lastFive: meanOfFive,
    bestFive: bestOfFive,
  };
}

/** `undefined` unless every row of the venue has one. */
function groundEntriesPerHour(sectors: readonly Sector[]): number | undefined {
  const ofRows = sectors.flatMap(({ entriesPerHour = [] }) => entriesPerHour);
  return ofRows.length === sectors.length ? ofRows.reduce((sum, count) => sum + count, 0) : undefined;
}

function latest(timesMs: readonly (number | null)[]): number | null {
  const known = timesMs.filter((timeMs) => timeMs !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function incompleteSinceMs({ uncounted }: LogState, sector: string | null): number | null {
  const timesMs = uncountedMarks(uncounted, sector).map(({ sinceMs }) => sinceMs);
  return timesMs.length === 0 ? null : Math.min(...timesMs);
}

/** Returns the seconds since the end of a minute, by the same clock; NaN without one. */
export function ageOfMinuteS(minuteMs: number | undefined, nowMs: number): number {
  // After the database's clock was set back, the newest one is ahead of it.
  return minuteMs === undefined ? Number.NaN : Math.max(0, nowMs - minuteMs - MINUTE_MS) / 1_000;
}
