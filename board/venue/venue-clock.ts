import type { VenueClock } from '../../domain/live-message.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';

/** Reads this machine's clock in the venue's zone. @throws RangeError: `timeZone` is no IANA name */
export function createVenueClock(timeZone: string): () => VenueClock {
  const utcOffsetAt = createOffsetReader(timeZone);
  return () => {
    const unixMs = Date.now();
    return { unixMs, utcOffsetMs: utcOffsetAt(unixMs) };
  };
}
