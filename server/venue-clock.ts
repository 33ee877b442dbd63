import type { VenueClock } from '../domain/live-message.ts';

/** Reads this machine's clock as the venue does. `timeZone`: an IANA name; throws a RangeError for any other. */
export function createVenueClock(timeZone: string): () => VenueClock {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return () => {
    const unixMs = Date.now();
    const name = format.formatToParts(unixMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    return { unixMs, utcOffsetMs: readOffsetMs(name) };
  };
}

/** "GMT-03:00", "GMT+05:45"; "GMT" where there is none. */
function readOffsetMs(name: string): number {
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offsetMs : offsetMs;
}
