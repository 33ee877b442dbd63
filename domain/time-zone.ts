/** An IANA name, as America/Fortaleza. No offset: whether a runtime takes "-03:00" as well depends on its version. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Where neither settings nor venue nor event name another. */
export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo';

/** How far clocks of a time zone are ahead of UTC at an instant, in ms. Throws a RangeError for no IANA name. */
export function createOffsetReader(timeZone: string): (unixMs: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (unixMs) =>
    readOffsetMs(format.formatToParts(unixMs).find(({ type }) => type === 'timeZoneName')?.value ?? '');
}

/** "GMT-03:00", "GMT+05:45"; "GMT" where there is none. */
function readOffsetMs(name: string): number {
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  const offsetMs = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offsetMs : offsetMs;
}
