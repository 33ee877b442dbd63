const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Formats a Unix time as "18:33", in an IANA time zone. */
export function formatTime(atMs: number, timeZone: string): string {
  return formatOf(timeZone, false).format(atMs);
}

/** Formats a Unix time as "18:33:10", in an IANA time zone. */
export function formatTimeWithSeconds(atMs: number, timeZone: string): string {
  return formatOf(timeZone, true).format(atMs);
}

/** Returns a cached format, as it takes long to create one. */
function formatOf(timeZone: string, hasSeconds: boolean): Intl.DateTimeFormat {
  const key = `${timeZone} ${hasSeconds}`;
  const known = FORMATS.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat('pt-BR', {
    timeZone,
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds && { second: '2-digit' }),
  });
  FORMATS.set(key, format);
  return format;
}
