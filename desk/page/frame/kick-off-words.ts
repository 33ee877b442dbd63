import type { DeskState } from '../../model/desk-state.ts';
import { formatTime } from '../event-time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** "24 min para o início (19:00)", "início há 3 min (19:00)". */
export function kickOffWords({
  nowMs,
  times,
  timeZone,
  record,
}: Pick<DeskState, 'nowMs' | 'times' | 'timeZone'> & Partial<Pick<DeskState, 'record'>>): string {
  const { kickOffAtMs, isKickOffOfDesk } = times;
  if (record?.isUnread) return 'início: sem o registro';
  if (kickOffAtMs === null) return 'início sem horário';
  const leftMs = kickOffAtMs - nowMs;
  const place =
    Math.abs(leftMs) < DAY_MS ? formatTime(kickOffAtMs, timeZone) : dayAndTime(kickOffAtMs, timeZone);
  const time = isKickOffOfDesk ? `(${place}, definido na mesa)` : `(${place})`;
  if (leftMs > 0) return `${leftWords(leftMs)} para o início ${time}`;
  const minutes = Math.floor(-leftMs / MINUTE_MS);
  return minutes === 0 ? `início agora ${time}` : `início há ${duration(minutes)} ${time}`;
}

/** The time until a kick-off, in minutes begun: "24 min". */
export function leftWords(leftMs: number): string {
  return duration(Math.ceil(leftMs / MINUTE_MS));
}

/** "24 min", "2 h 05 min", "3 dias". */
function duration(minutes: number): string {
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} dias`;
  return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** "23/11 19:00"; the format is not cached, as it is needed only long before a match. */
function dayAndTime(atMs: number, timeZone: string): string {
  const day = new Intl.DateTimeFormat('pt-BR', { day: '2-digit', month: '2-digit', timeZone });
  return `${day.format(atMs)} ${formatTime(atMs, timeZone)}`;
}
