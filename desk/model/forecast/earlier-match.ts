import type { LogRow, Source } from '../log/flow-log.ts';
import { readLogState } from '../log/log-state.ts';
import { uncountedMarks } from '../log/uncounted.ts';
import { crowdKickOffMs } from './crowd-kick-off.ts';
import { OBSERVED_FROM_MIN } from './limits.ts';
import { type MatchCurve, type MinuteCount, readMatchCurve } from './match-curve.ts';

export interface RecordedCount extends MinuteCount {
  /** A row's code, or '' for the others. */
  readonly sector: string;
}

/** The record of another event. */
export interface RecordedMatch {
  readonly eventId: string;
  /** Minutes of one source without withdrawn imports, those of each sector in order. */
  readonly counts: readonly RecordedCount[];
  readonly source: Source;
  readonly log: readonly LogRow[];
  /** The kick-off from `event_details`, for logs without one, as of imports. */
  readonly kickOffAtMs: number | null;
}

/** A match that forecasts use. */
export interface EarlierMatch {
  readonly eventId: string;
  readonly kickOffAtMs: number;
  /** Simulated matches are never used for real ones. */
  readonly isSimulated: boolean;
  /** Curves by code, '' for the others, of sectors that were observed and complete around kick-off. */
  readonly sectors: ReadonlyMap<string, MatchCurve>;
  /** The codes of the other sectors. */
  readonly missing: readonly string[];
  /** Null where a sector is missing: the others may still be used. */
  readonly total: MatchCurve | null;
}

/** Why no forecast can use a match. `not-whole`: unobserved around kick-off, or incomplete or broken off by then. */
export interface Unfit {
  readonly unfit: 'no-kick-off' | 'not-whole';
}

/** Reads the curves of a match up to where counts became incomplete, entry was closed or the ground evacuated. */
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
  // An estimate does not reveal when people passed.
  const incompleteMs = (sector: string | null): number =>
    Math.min(...uncountedMarks(state.uncounted, sector).map(({ sinceMs }) => sinceMs));
  const curveUntil = (untilMs: number, minutes: readonly MinuteCount[]): MatchCurve | null => {
    const curve = readMatchCurve(
      minutes.filter(({ minuteMs }) => minuteMs < untilMs),
      kickOffAtMs,
    );
    return curve && curve.fromMin <= -OBSERVED_FROM_MIN ? curve : null;
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

/** Sums the minutes that all sectors have, in order. */
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
