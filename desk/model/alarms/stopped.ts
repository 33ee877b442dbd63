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

/** Whether a sector has stopped: nobody entered for so long that EXPECTED_IN_SILENCE would have, at the rate before. */
export function findStop(situation: Situation, place: number): StoppedFigures | undefined {
  const { atMs, windows, totals } = situation;
  if (!mayStop(situation, place)) return undefined;
  const quietSinceMs = windows.silentSince(place);
  const silentMs = atMs - Math.max(quietSinceMs, situation.silenceFromMs[place] ?? Infinity);
  if (silentMs < MIN_SILENCE_MS) return undefined;
  const before = rateBefore(situation, place, quietSinceMs);
  if (before === undefined || before < MIN_RATE_TO_STOP) return undefined;
  const windowMs = Math.max(MIN_SILENCE_MS, (EXPECTED_IN_SILENCE / before) * MINUTE_MS);
  if (silentMs < windowMs) return undefined;
  const { admitted = 0, valid = 0 } = totals[place] ?? {};
  // However long a mark stood meanwhile: the records have nobody since then.
  return { silentSinceMs: quietSinceMs, windowMs, before, admitted, valid };
}

/**
 * How many a minute entered in the ten minutes before, or before a mark that stood in them; `undefined` where that is not
 * known: no stop can be found then.
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

/** Whether a stop can be said of a sector at all. */
export function mayStop(situation: Situation, place: number): boolean {
  const totals = situation.totals[place];
  if (!totals || situation.appliesFromMs[place] === Infinity) return false;
  return isExpected(situation, totals, PENDING_SHARE_TO_STOP);
}

/** Whether a sector that had stopped has not gone on; `undefined` where that is not known. */
export function isStillStopped(
  { atMs, windows }: Situation,
  place: number,
  raised: Pick<StoppedFigures, 'before'>,
): boolean | undefined {
  const count = countOfMinute(windows, place, atMs);
  return count === undefined ? undefined : count < resumedFrom(raised);
}

/** Whether it has gone on at any time since, up to this boundary, as far as that was watched. */
export function hasResumedBy(
  byMs: number,
  { windows }: Situation,
  place: number,
  raised: Pick<StoppedFigures, 'before' | 'silentSinceMs'>,
): boolean {
  const count = resumedFrom(raised);
  const sinceThen = windows.flowOf({ fromMs: raised.silentSinceMs, toMs: byMs }, place);
  if (sinceThen !== undefined && sinceThen < count) return false;
  return windows.watchedMs.some(
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

function resumedFrom({ before }: Pick<StoppedFigures, 'before'>): number {
  return Math.max(MIN_RESUMED, before * RESUMED_SHARE);
}
