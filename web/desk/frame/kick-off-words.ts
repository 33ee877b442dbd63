import type { DeskState } from '../../../domain/flow/desk-state.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** "24 min para o início (19:00)", "início há 3 min (19:00)". */
export function kickOffWords({
  nowMs,
  times,
  timeZone,
}: Pick<DeskState, 'nowMs' | 'times' | 'timeZone'>): string {
  const { kickOffAtMs, isKickOffOfDesk } = times;
  if (kickOffAtMs === null) return 'início sem horário';
  const leftMs = kickOffAtMs - nowMs;
  const place =
    Math.abs(leftMs) < DAY_MS ? timeOfDay(kickOffAtMs, timeZone) : dayAndTime(kickOffAtMs, timeZone);
  const time = isKickOffOfDesk ? `(${place}, definido na mesa)` : `(${place})`;
  if (leftMs > 0) return `${duration(Math.ceil(leftMs / MINUTE_MS))} para o início ${time}`;
  const minutes = Math.floor(-leftMs / MINUTE_MS);
  return minutes === 0 ? `início agora ${time}` : `início há ${duration(minutes)} ${time}`;
}

/** "24 min", "2 h 05 min", "3 dias". */
function duration(minutes: number): string {
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} dias`;
  return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** "18:41" in a time zone by its IANA name. */
export function timeOfDay(atMs: number, timeZone: string): string {
  return format({ hour: '2-digit', minute: '2-digit' }, timeZone).format(atMs);
}

function dayAndTime(atMs: number, timeZone: string): string {
  return format({ day: '2-digit', month: '2-digit', hour: '2-digit', minute: '2-digit' }, timeZone)
    .format(atMs)
    .replace(',', '');
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Made once: it takes longer than everything else that is drawn in a second. */
function format(options: Intl.DateTimeFormatOptions, timeZone: string): Intl.DateTimeFormat {
  const key = `${timeZone} ${Object.keys(options).join()}`;
  let made = formats.get(key);
  if (!made) {
    made = new Intl.DateTimeFormat('pt-BR', { ...options, hourCycle: 'h23', timeZone });
    formats.set(key, made);
  }
  return made;
}
