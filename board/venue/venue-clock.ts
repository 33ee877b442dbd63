import type { VenueClock } from '../../domain/live-message.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';

/**
 * Reads this machine's clock in the venue's zone. `flowClock`: from this machine's time to that of a match that is played
 * faster. @throws RangeError: `timeZone` is no IANA name
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
