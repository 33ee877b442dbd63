import { readCurve } from './curve.ts';
import { type Minute, MINUTE_MS, minuteOf } from './minute.ts';

/** Returns the beginning of the minute that is `min` minutes from kick-off, in milliseconds since 1970. */
export function momentMs(kickOffAtMs: number, min = 0): number {
  return minuteOf(kickOffAtMs) + min * MINUTE_MS;
}

/**
 * Returns how many were in at that moment, the same number for desk, log and print: in the sector with this index or in
 * total. Null where neither the minute before nor the one after is confirmed.
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
