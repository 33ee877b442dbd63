import type { DeskState } from '../../desk/model/desk-state.ts';
import { EarlierMatches } from '../../desk/model/forecast/earlier-matches.ts';
import { makeForecast } from '../../desk/model/forecast/make-forecast.ts';
import type { TrackRecord } from '../../desk/model/forecast/track-record.ts';
import type { UsualCurve } from '../../desk/model/forecast/usual-curve.ts';
import type { LogEntry, LogRow } from '../../desk/model/log/flow-log.ts';
import type { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { readLogState } from '../../desk/model/log/log-state.ts';
import { type Minute, MINUTE_MS } from '../../desk/model/series/minute.ts';
import type { ShownSector } from '../../domain/shown-venue.ts';
import { describeDesk } from '../../desk/flow/describe-desk.ts';
import { crowd, earlierMatch, type RecordedSector } from './recorded-match.ts';
import { NO_FIGURES } from './log-rows.ts';
import { observedSeries } from './observed-series.ts';

/** 19:00 in São Paulo. */
export const MATCH_KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);

const EVENT_ID = 'today';
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const SECTORS: readonly RecordedSector[] = [
  { code: '4', valid: 12_000, admittedAt: crowd(10_800, -18) },
  { code: '7', valid: 8_112, admittedAt: crowd(7_300, -22) },
  { code: '', valid: 0, admittedAt: () => 0 },
];

export interface MatchViewOptions {
  /** Now, in minutes to kick-off. */
  readonly atMin: number;
  /** The first observed minute. */
  readonly fromMin?: number;
  /** Unobserved minutes: the first, and the one after the last. */
  readonly gapMin?: readonly [fromMin: number, toMin: number];
  readonly sectors?: readonly RecordedSector[];
  readonly earlierMatches?: number;
  /** Null without a kick-off. */
  readonly times?: { readonly gatesOpenAtMs: number | null; readonly kickOffAtMs: number | null };
  /** Entries after the times. */
  readonly log?: readonly LogEntry[];
  readonly trackRecord?: readonly TrackRecord[];
  readonly isLive?: boolean;
}

export interface MatchView {
  readonly state: DeskState;
  readonly minutes: readonly Minute[];
  readonly log: readonly LogRow[];
  readonly sectors: readonly ShownSector[];
  readonly status: { readonly kind: 'live' } | { readonly kind: 'no-connection'; readonly ageMs: number };
  readonly replay: null;
  /** The permitted capacity of the whole ground. */
  readonly usual: UsualCurve | null;
}

/** A match of two sectors with 20.112 valid tickets at one moment, by the code of the server. */
export function matchView(options: MatchViewOptions): MatchView {
  const { atMin, sectors = SECTORS, earlierMatches = 0, isLive = true, trackRecord = [] } = options;
  const gatesOpenAtMs = MATCH_KICK_OFF_MS - 120 * MINUTE_MS;
  const times = options.times ?? { gatesOpenAtMs, kickOffAtMs: MATCH_KICK_OFF_MS };
  const entries = [entryOf('times', times, { atMs: gatesOpenAtMs }), ...(options.log ?? [])];
  const log: LogRow[] = [];
  for (const entry of entries) log.push({ ...entry, seq: log.length + 1, previous: '' });
  const state = readLogState(log);
  const series = watch(sectors, options);
  const codes = sectors.map(({ code }) => code);
  const earlier = new EarlierMatches({
    eventId: EVENT_ID,
    matches: Array.from({ length: earlierMatches }, (_, n) => matchBefore(sectors, n)),
    codes,
    isSimulated: false,
  });
  const nowMs = MATCH_KICK_OFF_MS + atMin * MINUTE_MS;
  const rows = codes.slice(0, -1).map((code) => ({ code, name: `SETOR ${code}`, stand: 'A', codes: [code] }));
  const minutes = series.minutes(0, Infinity);
  return {
    state: describeDesk({
      eventId: EVENT_ID,
      nowMs,
      timeZone: 'America/Sao_Paulo',
      source: isLive ? { live: true } : { live: false, ageMs: 0, reason: 'connecting' },
      series,
      sectors: rows,
      capacities: codes.map(() => null),
      log: state,
      lastSeq: log.length,
      evaluation: undefined,
      forecast: makeForecast({ nowMs, isLive, series, codes, log: state, earlier }),
      trackRecord,
      lastMinuteMs: minutes.at(-1)?.minuteMs,
      record: { state: { kind: 'writer' }, isKept: false, minutesWaiting: 0 },
    }),
    minutes,
    log,
    sectors: rows,
    status: isLive ? { kind: 'live' } : { kind: 'no-connection', ageMs: 0 },
    replay: null,
    usual: earlier.total.usualCurve(),
  };
}

/** An entry of an operator's, or of the server's. */
export function entryOf<K extends LogEntry['kind']>(
  kind: K,
  data: Extract<LogEntry, { kind: K }>['data'],
  { atMs, sector = null, id = `${kind}:${atMs}` }: { atMs: number; sector?: string | null; id?: string },
): LogEntry {
  return { id, atMs, source: 'live', by: 'Ana', sector, figures: NO_FIGURES, kind, data } as LogEntry;
}

function watch(
  sectors: readonly RecordedSector[],
  { atMin, fromMin = -130, gapMin }: MatchViewOptions,
): FlowSeries {
  const kickOffAtMs = MATCH_KICK_OFF_MS;
  if (!gapMin) return observedSeries(sectors, { kickOffAtMs, fromMin, untilMin: atMin });
  const before = observedSeries(sectors, { kickOffAtMs, fromMin, untilMin: gapMin[0] });
  const after = observedSeries(sectors, { kickOffAtMs, fromMin: gapMin[1], untilMin: atMin });
  after.restore(before.minutes(0, Infinity));
  return after;
}

function matchBefore(sectors: readonly RecordedSector[], n: number) {
  return earlierMatch({
    eventId: `earlier ${n}`,
    kickOffAtMs: MATCH_KICK_OFF_MS - (n + 1) * WEEK_MS,
    sectors: sectors.map((sector) => ({
      ...sector,
      admittedAt: (min: number) => Math.round(sector.admittedAt(min + ((n % 5) - 2) * 3) * (1 - n / 200)),
    })),
  });
}
