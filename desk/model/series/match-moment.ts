import { readCurve } from './curve.ts';
import { type Minute, MINUTE_MS, minuteOf } from './minute.ts';

/** The moment so many minutes from kick-off whose count is told: the record has minutes, so it is one's beginning. */
export function momentMs(kickOffAtMs: number, min = 0): number {
  return minuteOf(kickOffAtMs) + min * MINUTE_MS;
}

/**
 * How many were in at that moment: the one number of desk, log and print. Of one sector by its place, or without one of the
 * total. Null where neither the minute before nor the one after is known.
 */
export function admittedAtMoment(
  minutes: readonly Minute[],
  kickOffAtMs: number,
  { min = 0, sector }: { readonly min?: number; readonly sector?: number | undefined } = {},
): number | null {
  const atMs = momentMs(kickOffAtMs, min);
  const around = minutes.filter(({ minuteMs }) => minuteMs === atMs - MINUTE_MS || minuteMs === atMs);
  return readCurve(around, sector).find((point) => point.atMs === atMs)?.admitted ?? null;
}
