import { bucketOf, MINUTE_MS } from '../series/minute.ts';
import type { StoppedFigures } from './alarm.ts';
import { type FlowWindows, ratePerMinute } from './flow-windows.ts';
import {
  BASE_DELAY_MS,
  BASE_MS,
  EXPECTED_IN_SILENCE,
  MIN_RATE_TO_STOP,
  MIN_RESUMED,
  MIN_SILENCE_MS,
  PENDING_SHARE_TO_STOP,
  RESUMED_SHARE,
  RESUMED_WITHIN_MS,
} from './limits.ts';
import { isExpected, type Situation } from './situation.ts';

/** Returns the figures if nobody has entered for as long as EXPECTED_IN_SILENCE people take at the base rate. */
export function findStop(situation: Situation, place: number): StoppedFigures | undefined {
  const { atMs, windows, totals } = situation;
  if (!mayStop(situation, place)) return undefined;
  const quietSinceMs = windows.silentSince(place);
  if (!wasExpected(situation, place)) return undefined;
  const silentMs = atMs - Math.max(quietSinceMs, situation.silenceFromMs[place] ?? Infinity);
  if (silentMs < MIN_SILENCE_MS) return undefined;
  const before = rateBefore(situation, place, windows.ungrownSince(place));
  if (before === undefined || before < MIN_RATE_TO_STOP) return undefined;
  const windowMs = Math.max(MIN_SILENCE_MS, (EXPECTED_IN_SILENCE / before) * MINUTE_MS);
  if (silentMs < windowMs) return undefined;
  const { admitted = 0, valid = 0 } = totals[place] ?? {};
  // The figures give the time of the last entry, also where the rule itself counts only from the end of a mark, or of a gap.
  return { silentSinceMs: windows.ungrownSince(place), windowMs, before, admitted, valid };
}

/**
 * Returns the entries per minute in the ten minutes before the silence, or before a mark within them; `undefined` if unknown,
 * and then there is no stop.
 */
export function rateBefore(
  { atMs, windows, marked }: Situation,
  place: number,
  quietSinceMs: number,
): number | undefined {
  const beforeMs = (marked[place] ?? []).reduceRight(
    (ms, { fromMs, toMs }) => (fromMs < ms && toMs > ms - BASE_MS ? bucketOf(fromMs) : ms),
    Math.min(quietSinceMs, atMs - BASE_DELAY_MS),
  );
  const base = windows.baseBefore(beforeMs);
  const count = base && windows.flow(base)?.[place];
  return base && count !== undefined ? ratePerMinute(count, base) : undefined;
}

/** Whether the rule applies to a sector. */
export function mayStop(situation: Situation, place: number): boolean {
  const totals = situation.totals[place];
  if (!totals || situation.appliesFromMs[place] === Infinity) return false;
  return isExpected(situation, totals, PENDING_SHARE_TO_STOP);
}

/** Whether people were expected when the last one entered: readings that were taken back since leave nobody on the way. */
function wasExpected(situation: Situation, place: number): boolean {
  const { windows, totals } = situation;
  const now = totals[place];
  const admitted = windows.admittedAt(windows.ungrownSince(place), place);
  return (
    now !== undefined &&
    isExpected(situation, { ...now, admitted: admitted ?? now.admitted }, PENDING_SHARE_TO_STOP)
  );
}

/** Whether a stopped sector has not resumed; `undefined` if unknown. */
export function isStillStopped(
  { atMs, windows }: Situation,
  place: number,
  raised: Pick<StoppedFigures, 'before'>,
): boolean | undefined {
  const count = countOfMinute(windows, place, atMs);
  return count === undefined ? undefined : count < countToResume(raised);
}

/** Whether the sector has resumed at any observed boundary up to this one. */
export function hasResumedBy(
  byMs: number,
  { windows }: Situation,
  place: number,
  raised: Pick<StoppedFigures, 'before' | 'silentSinceMs'>,
): boolean {
  const count = countToResume(raised);
  const sinceThen = windows.flowOf({ fromMs: raised.silentSinceMs, toMs: byMs }, place);
  if (sinceThen !== undefined && sinceThen < count) return false;
  return windows.observedMs.some(
    (ms) =>
      ms <= byMs &&
      ms - RESUMED_WITHIN_MS >= raised.silentSinceMs &&
      (countOfMinute(windows, place, ms) ?? 0) >= count,
  );
}

function countOfMinute(windows: FlowWindows, place: number, toMs: number): number | undefined {
  const window = windows.ending(toMs, RESUMED_WITHIN_MS);
  return window && windows.flowOf(window, place);
}

function countToResume({ before }: Pick<StoppedFigures, 'before'>): number {
  return Math.max(MIN_RESUMED, before * RESUMED_SHARE);
}
