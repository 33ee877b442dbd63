const formats = new Map<string, Intl.DateTimeFormat>();

/** 18:36, on a clock of the event's time zone. */
export function formatTime(atMs: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('pt-BR', {
      timeZone,
      hourCycle: 'h23',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format.format(atMs);
}
