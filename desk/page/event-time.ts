const CLOCK = { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' } as const;
const PARTS = {
  minute: CLOCK,
  second: { ...CLOCK, second: '2-digit' },
  day: { day: '2-digit', month: '2-digit', year: 'numeric' },
} as const;
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Formats a Unix time as "18:33", in an IANA time zone. */
export function formatTime(atMs: number, timeZone: string): string {
  return formatOf(timeZone, 'minute').format(atMs);
}

/** Formats a Unix time as "18:33:10", in an IANA time zone. */
export function formatTimeWithSeconds(atMs: number, timeZone: string): string {
  return formatOf(timeZone, 'second').format(atMs);
}

/** Formats a Unix time as "22/11/2026", in an IANA time zone. */
export function formatDay(atMs: number, timeZone: string): string {
  return formatOf(timeZone, 'day').format(atMs);
}

/** Formats a Unix time as "22/11/2026 18:33", in an IANA time zone. */
export function formatDayAndTime(atMs: number, timeZone: string): string {
  return `${formatDay(atMs, timeZone)} ${formatTime(atMs, timeZone)}`;
}

/** Formats a Unix time as "18:33", and with the day if it is not that of `dayMs`. */
export function formatWhen(atMs: number, dayMs: number, timeZone: string): string {
  const isSameDay = formatDay(atMs, timeZone) === formatDay(dayMs, timeZone);
  return isSameDay ? formatTime(atMs, timeZone) : formatDayAndTime(atMs, timeZone);
}

/** Returns a cached format, as it takes long to create one. */
function formatOf(timeZone: string, parts: keyof typeof PARTS): Intl.DateTimeFormat {
  const key = `${timeZone} ${parts}`;
  const known = FORMATS.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat('pt-BR', { timeZone, ...PARTS[parts] });
  FORMATS.set(key, format);
  return format;
}
