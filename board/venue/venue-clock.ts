import type { VenueClock } from '../../domain/live-message.ts';
import { createOffsetReader } from '../../domain/time-zone.ts';

/** Reads this machine's clock as the venue does. `timeZone`: an IANA name; throws a RangeError for any other. */
export function createVenueClock(timeZone: string): () => VenueClock {
  const utcOffsetAt = createOffsetReader(timeZone);
  return () => {
    const unixMs = Date.now();
    return { unixMs, utcOffsetMs: utcOffsetAt(unixMs) };
  };
}
