import { formatTime } from '../page/event-time.ts';

/** "22/11/2026", in an IANA time zone. */
export function formatDay(atMs: number, timeZone: string): string {
  const parts = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;
  return new Intl.DateTimeFormat('pt-BR', { timeZone, ...parts }).format(atMs);
}

/** "22/11/2026 18:33". */
export function formatDayAndTime(atMs: number, timeZone: string): string {
  return `${formatDay(atMs, timeZone)} ${formatTime(atMs, timeZone)}`;
}

/** "18:33", with the day if it is not that of `dayMs`. */
export function formatWhen(atMs: number, dayMs: number, timeZone: string): string {
  const isSameDay = formatDay(atMs, timeZone) === formatDay(dayMs, timeZone);
  return isSameDay ? formatTime(atMs, timeZone) : formatDayAndTime(atMs, timeZone);
}
