import type { LogRow, Source } from '../log/flow-log.ts';
import { readLogState } from '../log/log-state.ts';
import { uncountedMarks } from '../log/uncounted.ts';
import { crowdKickOffMs } from './crowd-kick-off.ts';
import { WATCHED_FROM_MIN } from './limits.ts';
import { type MatchCurve, type MinuteCount, readMatchCurve } from './match-curve.ts';

/** One minute of one sector, as the record has it. */
export interface RecordedCount extends MinuteCount {
  /** A row's code, '' for the others. */
  readonly sector: string;
}

/** What the record holds of one other event. */
export interface RecordedMatch {
  readonly eventId: string;
  /** Of one source, without imports that were withdrawn; the minutes of each sector in their order. */
  readonly counts: readonly RecordedCount[];
  readonly source: Source;
  readonly log: readonly LogRow[];
  /** What event_details says: it counts where the log says nothing, as that of an import does. */
  readonly kickOffAtMs: number | null;
}

/** A match that forecasts are made from. */
export interface EarlierMatch {
  readonly eventId: string;
  readonly kickOffAtMs: number;
  /** Invented ones are no base for a real one. */
  readonly isSimulated: boolean;
  /** By code, '' for the others; without those that were not watched around kick-off, or were incomplete by then. */
  readonly sectors: ReadonlyMap<string, MatchCurve>;
  /** The codes of those. */
  readonly missing: readonly string[];
  /** Null where a sector is missing: then the others may still serve. */
  readonly total: MatchCurve | null;
}

/** Why a match is no base for a forecast; `not-whole`: not watched around kick-off, or incomplete or broken off by then. */
export interface Unfit {
  readonly unfit: 'no-kick-off' | 'not-whole';
}

/** Curves to the kick-off that people came for, up to where counts became incomplete, entry was closed or the ground evacuated. */
export function readEarlierMatch({
  eventId,
  source,
  counts,
  log,
  ...recorded
}: RecordedMatch): EarlierMatch | Unfit {
  const state = readLogState(log);
  const kickOffAtMs = crowdKickOffMs(state) ?? recorded.kickOffAtMs;
  if (kickOffAtMs === null) return { unfit: 'no-kick-off' };
  const endMs = Math.min(state.evacuatedAtMs ?? Infinity, state.entryClosedAtMs ?? Infinity);
  // An estimate says nothing of when they passed.
  const incompleteMs = (sector: string | null): number =>
    Math.min(...uncountedMarks(state.uncounted, sector).map(({ sinceMs }) => sinceMs));
  const curveUntil = (untilMs: number, minutes: readonly MinuteCount[]): MatchCurve | null => {
    const curve = readMatchCurve(
      minutes.filter(({ minuteMs }) => minuteMs < untilMs),
      kickOffAtMs,
    );
    return curve && curve.fromMin <= -WATCHED_FROM_MIN ? curve : null;
  };

  const sectors = new Map<string, MatchCurve>();
  const bySector = groupBySector(counts);
  for (const [sector, minutes] of bySector) {
    const curve = curveUntil(Math.min(endMs, incompleteMs(sector)), minutes);
    if (curve) sectors.set(sector, curve);
  }
  const total = curveUntil(Math.min(endMs, incompleteMs(null)), sumByMinute(counts, bySector.size));
  if (sectors.size === 0 && !total) return { unfit: 'not-whole' };
  const missing = [...bySector.keys()].filter((code) => !sectors.has(code));
  return { eventId, kickOffAtMs, isSimulated: source === 'simulated', sectors, missing, total };
}

function groupBySector(counts: readonly RecordedCount[]): ReadonlyMap<string, readonly MinuteCount[]> {
  const bySector = new Map<string, MinuteCount[]>();
  for (const count of counts) {
    const minutes = bySector.get(count.sector);
    if (minutes) minutes.push(count);
    else bySector.set(count.sector, [count]);
  }
  return bySector;
}

/** Of the minutes in which all sectors are known, in their order. */
function sumByMinute(counts: readonly RecordedCount[], sectorCount: number): readonly MinuteCount[] {
  const sums = new Map<number, { minute: MinuteCount; sectors: number }>();
  for (const { minuteMs, admitted, net, valid, lots } of counts) {
    const sum = sums.get(minuteMs);
    const before = sum?.minute ?? { minuteMs, admitted: 0, net: 0, valid: 0, lots: 0 };
    const minute = {
      minuteMs,
      admitted: before.admitted + admitted,
      net: before.net + net,
      valid: before.valid + valid,
      lots: before.lots + lots,
    };
    sums.set(minuteMs, { minute, sectors: (sum?.sectors ?? 0) + 1 });
  }
  return [...sums.values()]
    .filter(({ sectors }) => sectors === sectorCount)
    .map(({ minute }) => minute)
    .toSorted((a, b) => a.minuteMs - b.minuteMs);
}
