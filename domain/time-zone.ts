/** Accepts an IANA name, as America/Fortaleza, and no offset: not every version of a runtime takes "-03:00". */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** The zone where settings, venue and event name none. */
export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo';

/** Returns how far a time zone is ahead of UTC at an instant, in ms. @throws RangeError: it is no IANA name */
export function createOffsetReader(timeZone: string): (unixMs: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (unixMs) =>
    readOffsetMs(format.formatToParts(unixMs).find(({ type }) => type === 'timeZoneName')?.value ?? '');
}

/** `name` is "GMT-03:00" or "GMT+05:45"; "GMT" for no offset. */
function readOffsetMs(name: string): number {
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offsetMs : offsetMs;
}
