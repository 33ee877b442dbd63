import { evaluateAlarms } from '../model/alarms/evaluate.ts';
import type { AlarmEvaluation, SectorState } from '../model/alarms/evaluation.ts';
import { MIN_SILENCE_MS } from '../model/alarms/limits.ts';
import { isSuspended } from '../model/alarms/suspensions.ts';
import type { DeskState } from '../model/desk-state.ts';
import type { FlowSeries } from '../model/series/flow-series.ts';
import { type LogState, readLogState } from '../model/log/log-state.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import type { SeriesReading } from '../model/series/series-reading.ts';
import type { SourceState } from '../../domain/live-message.ts';
import type { Sector } from '../../domain/venue.ts';
import { describeDesk, type DeskSources } from './describe-desk.ts';
import type { EventLog } from './event-log.ts';
import type { MatchWatch } from './match-watch.ts';
import { groundCapacity } from '../../domain/permitted-capacity.ts';

export interface RecordedSources {
  readonly eventId: string;
  readonly rows: readonly Sector[];
  /** The codes of the sectors, '' for the others. */
  readonly sectors: readonly string[];
  /** The event's time zone now: the one of that time is not recorded. */
  readonly timeZone: string;
  readonly series: FlowSeries;
  readonly log: Pick<EventLog, 'after'>;
  readonly record: DeskSources['record'];
  readonly watch: Pick<MatchWatch, 'forecastAt' | 'trackRecord'>;
}

/** Implements `Desk.stateAt` from minutes and log alone. */
export function describeRecorded(sources: RecordedSources, endMs: number): DeskState | undefined {
  const { eventId, rows, sectors, timeZone, log, record, watch } = sources;
  const recorded = sources.series.at(endMs);
  const isOver = sources.series.confirmedMs(endMs - MINUTE_MS, Infinity).length > 0;
  if (!recorded || !isOver) return undefined;
  const { series, newestMs } = recorded;
  const logged = log.after(0).filter(({ atMs }) => atMs <= endMs);
  const state = readLogState(logged);
  const ageMs = endMs - newestMs - MINUTE_MS;
  const source: SourceState = ageMs === 0 ? { live: true } : { live: false, ageMs, reason: 'connecting' };
  const capacities = sectors.map((code) => state.permitted[code] ?? null);
  const evaluation = evaluateAlarms({
    series,
    codes: sectors,
    capacities,
    groundCapacity: groundCapacity(capacities),
    log: state,
    staleForMs: source.live ? null : ageMs,
    nowMs: endMs,
  });
  return describeDesk({
    eventId,
    nowMs: endMs,
    timeZone,
    source,
    series,
    sectors: rows,
    capacities,
    log: state,
    lastSeq: logged.at(-1)?.seq ?? 0,
    // As on the desk of then: what no minute confirms, no rule verified.
    evaluation: {
      ...evaluation,
      atMs: endMs - ageMs,
      sectors: sectorsByLog(evaluation, sectors, state, series),
    },
    forecast: watch.forecastAt({ nowMs: endMs, isLive: source.live, series, log: state }),
    trackRecord: watch.trackRecord,
    lastMinuteMs: newestMs,
    record,
  });
}

/** Takes stops and drops from the log: rules that see only whole minutes may find them later. */
function sectorsByLog(
  { sectors, waits }: AlarmEvaluation,
  codes: readonly string[],
  log: LogState,
  series: SeriesReading,
): readonly SectorState[] {
  if (waits !== null) return sectors;
  const active = log.alarms.filter(({ returnedAtMs }) => returnedAtMs === null);
  const group = active.find((alarm) => alarm.rule === 'several-stopped');
  return codes.map((sector, place) => {
    const found = sectors[place] ?? 'unknown';
    const ofSector = active.filter((alarm) => alarm.sector === sector);
    if (ofSector.some(({ rule }) => rule === 'stopped')) return 'stopped';
    if (ofSector.some(({ rule }) => rule === 'dropped')) return 'dropped';
    if (found !== 'stopped' && found !== 'dropped') return found;
    const isOfGroup = group?.figures.sectors.some((each) => each.sector === sector);
    // The desk displayed it, though nobody was called.
    if (isOfGroup || isSuspended(log, { rule: found, sector }, series.lastBoundaryMs ?? 0)) return found;
    const endMs = series.lastBoundaryMs ?? 0;
    const count = series.flowBetween(endMs - MIN_SILENCE_MS, endMs, place);
    if (count === undefined) return 'unknown';
    return count > 0 ? 'flowing' : 'quiet';
  });
}
