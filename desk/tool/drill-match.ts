import { alarmEntries } from '../model/alarms/alarm-entries.ts';
import { evaluateAlarms } from '../model/alarms/evaluate.ts';
import { figuresOf } from '../model/series/current-figures.ts';
import type { LogEntry } from '../model/log/flow-log.ts';
import { FlowSeries, type SectorChange } from '../model/series/flow-series.ts';
import { LogStateReader } from '../model/log/log-state.ts';
import { BUCKET_MS, bucketOf, type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { readAtGate } from '../../gates/simulator/gate-readings.ts';
import type { Incident } from '../../gates/simulator/incidents.ts';
import { readEntries } from './drill-entries.ts';

export interface DrillOptions {
  /** The codes of the minutes' sectors, '' for the others. */
  readonly codes: readonly string[];
  /** The minutes of the recorded match, in order; not empty. */
  readonly minutes: readonly Minute[];
  readonly kickOffAtMs: number;
  readonly gatesOpenAtMs: number | null;
  readonly incidents: readonly Incident[];
  /** The delay of the exercise after the match: a multiple of a minute. */
  readonly laterMs: number;
  /** The entries at its beginning and its end; only the latter names the incidents. */
  readonly opening: string;
  readonly closing: string;
}

/** The gates of a sector pass all its tickets in this many minutes, as in a simulated match. */
const MINUTES_FOR_ALL = 24;

/**
 * Plays the match with its incidents, and observes it as a server does, with the alarms of the rules, which nobody
 * acknowledges. Everything is marked as simulated.
 */
export function playDrill(options: DrillOptions): {
  readonly minutes: readonly Minute[];
  readonly log: readonly LogEntry[];
} {
  const { codes, minutes, laterMs, opening, closing } = options;
  const kickOffAtMs = options.kickOffAtMs + laterMs;
  const first = minutes[0];
  if (!first) throw new RangeError('a drill needs a minute');
  const startMs = first.minuteMs + laterMs;
  const endMs = (minutes.at(-1)?.minuteMs ?? first.minuteMs) + MINUTE_MS + laterMs;

  const log: LogEntry[] = [];
  const state = new LogStateReader();
  const note = (atMs: number, entry: Pick<LogEntry, 'id' | 'kind' | 'sector' | 'data'>): void => {
    const place = entry.sector === null ? undefined : codes.indexOf(entry.sector);
    const row = { ...entry, atMs, source: 'simulated', by: null, figures: figuresOf(series, place) };
    log.push(row as LogEntry);
    state.add(row as LogEntry);
  };
  const series = new FlowSeries({
    sectorCount: codes.length,
    onLateBatch: ({ sector, atMs, count }) => {
      const code = codes[sector] ?? '';
      note(atMs, { id: `lot:${code}:${atMs}`, kind: 'lot', sector: code, data: { count } });
    },
  });
  series.begin(
    startMs,
    first.sectors.map(({ admitted, net, valid }) => ({ admitted: admitted - net, valid })),
  );
  series.advanceTo(startMs);
  note(startMs, { id: 'drill:opening', kind: 'occurrence', sector: null, data: { text: opening } });
  const gatesOpenAtMs = options.gatesOpenAtMs === null ? null : options.gatesOpenAtMs + laterMs;
  note(startMs, { id: 'drill:times', kind: 'times', sector: null, data: { gatesOpenAtMs, kickOffAtMs } });

  const changes = changesByBucket(options);
  const capacities = codes.map(() => null);
  for (let atMs = startMs; atMs < endMs; atMs += BUCKET_MS) {
    for (const change of changes.get(atMs) ?? []) series.commit(atMs, [change]);
    const nowMs = atMs + BUCKET_MS;
    series.advanceTo(nowMs);
    const evaluation = evaluateAlarms({
      series,
      codes,
      capacities,
      groundCapacity: null,
      log: state.state,
      staleForMs: null,
      nowMs,
    });
    for (const entry of alarmEntries(evaluation, state.state, nowMs)) note(nowMs, entry);
  }
  note(endMs, { id: 'drill:closing', kind: 'occurrence', sector: null, data: { text: closing } });
  return { minutes: series.minutes(0, Number.POSITIVE_INFINITY), log };
}

type Commits = Map<number, SectorChange[]>;

/** Returns the commits of each bucket: one for the single entries of a sector, and one for each late batch. */
function changesByBucket(options: DrillOptions): Commits {
  const commits: Commits = new Map();
  for (const sector of options.codes.keys()) addSector(commits, sector, options);
  return commits;
}

function addSector(commits: Commits, sector: number, options: DrillOptions): void {
  const { codes, minutes, incidents, laterMs } = options;
  const add = (atMs: number, admitted: number, valid = 0): void => {
    const bucketMs = bucketOf(atMs);
    commits.set(bucketMs, [...(commits.get(bucketMs) ?? []), changeOf(sector, admitted, valid)]);
  };
  const momentOf = (minute: number): number => options.kickOffAtMs + laterMs + minute * MINUTE_MS;

  let valid = minutes[0]?.sectors[sector]?.valid ?? 0;
  for (const minute of minutes) {
    const now = minute.sectors[sector]?.valid ?? valid;
    if (now !== valid) add(minute.minuteMs + laterMs, 0, now - valid);
    valid = now;
  }

  const latenessMin = incidents.reduce((sum, each) => sum + (each.kind === 'late' ? each.minutes : 0), 0);
  const { minutes: entries, lots } = readEntries(minutes, sector, options.kickOffAtMs);
  const readings = readAtGate(
    entries.map((minute) => minute + latenessMin),
    incidents.filter((incident) => incident.kind !== 'late' && incident.sector === codes[sector]),
    Math.max(1, valid / MINUTES_FOR_ALL),
    Math.random,
  );
  for (const isLateBatch of [false, true]) {
    const some = readings.filter((reading) => reading.isLateBatch === isLateBatch);
    const counts = countBy(some.map(({ minute }) => bucketOf(momentOf(minute))));
    for (const [bucketMs, count] of counts) add(bucketMs, count);
  }
  for (const { minute, count } of lots) add(momentOf(minute), count);
}

function countBy(keys: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function changeOf(sector: number, admitted: number, valid: number): SectorChange {
  const [entered, reverted] = [Math.max(0, admitted), Math.max(0, -admitted)];
  return { sector, admitted, entered, reverted, moved: 0, valid };
}
