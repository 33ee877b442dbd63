import type { VenueClock } from '../../domain/live-message.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';

/**
 * Reads this machine's clock as the venue does. `timeZone`: an IANA name; throws a RangeError for any other. `flowClock`: the
 * time of a match that is played faster than in real life, for the time of this machine.
 */
export function createVenueClock(
  timeZone: string,
  flowClock: (nowMs: number) => number = (nowMs) => nowMs,
): () => VenueClock {
  const utcOffsetAt = createOffsetReader(timeZone);
  return () => {
    const unixMs = Math.round(flowClock(Date.now()));
    return { unixMs, utcOffsetMs: utcOffsetAt(unixMs) };
  };
}
