import { createOffsetReader } from '../../../domain/time-zone.ts';

/** Caches the offset of the current time zone for a minute, as reading it takes long. */
export function createOffsetCache(): (timeZone: string, unixMs: number) => number {
  let read: ((unixMs: number) => number) | undefined;
  let [zone, minute, offsetMs] = ['', -1, 0];
  return (timeZone, unixMs) => {
    if (!read || zone !== timeZone) {
      read = createOffsetReader(timeZone);
      [zone, minute] = [timeZone, -1];
    }
    const now = Math.floor(unixMs / 60_000);
    if (now !== minute) [minute, offsetMs] = [now, read(unixMs)];
    return offsetMs;
  };
}
