import { formatTime } from '../event-time.ts';
import { instantOf } from './kick-off-time.ts';

export type SinceCheck =
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'ok'; readonly sinceMs: number };

/** Reads the typed start of a mark; the proposed time keeps its seconds. */
export function checkSince(
  time: string,
  {
    proposedMs,
    nowMs,
    timeZone,
  }: { readonly proposedMs: number; readonly nowMs: number; readonly timeZone: string },
): SinceCheck {
  if (time === formatTime(proposedMs, timeZone)) return { kind: 'ok', sinceMs: proposedMs };
  const sinceMs = instantOf(time, nowMs, timeZone);
  if (sinceMs === undefined)
    return { kind: 'fault', message: `${time || 'isto'} não é um horário deste dia.` };
  if (sinceMs > nowMs)
    return { kind: 'fault', message: 'Isto ainda não passou: o “desde” é antes de agora.' };
  return { kind: 'ok', sinceMs };
}
