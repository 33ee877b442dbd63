import type { Alarm } from '../../model/alarms/alarm.ts';
import type { DeskFigures } from '../../model/desk-state.ts';
import { lastReadMs } from '../../model/alarms/alarm-words.ts';
import { MINUTE_MS } from '../../model/series/minute.ts';
import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';

/** What the sentences of an alarm are made from. */
export type SentenceView = Pick<DeskView, 'state' | 'sectors' | 'status' | 'log'>;

export function figuresAtMs({ figuresAtMs: atMs, againAtMs, sinceMs }: Alarm): number {
  return atMs ?? againAtMs ?? sinceMs;
}

export function figuresOf(
  { sector }: Pick<Alarm, 'sector'>,
  { state }: Pick<SentenceView, 'state'>,
): DeskFigures | undefined {
  return sector === null ? state.total : state.rows.find(({ code }) => code === sector);
}

export function isLive({ status }: SentenceView): boolean {
  return status.kind === 'live';
}

export function untilKnown(view: SentenceView): string {
  const { atMs } = view.state.watch;
  return atMs === null ? '' : `, até as ${time(atMs, view)}; depois, sem dados`;
}

/** "desde 18:33, há 3 min": the one to tell others, the other to judge by. */
export function sinceWhen(silentSinceMs: number, view: SentenceView): string {
  return `desde ${time(lastReadMs(silentSinceMs), view)}, há ${minutesSince(silentSinceMs, view)} min`;
}

export function minutesSince(atMs: number, { state }: SentenceView): number {
  return Math.max(1, Math.floor((state.nowMs - atMs) / MINUTE_MS));
}

export function time(atMs: number, { state }: SentenceView): string {
  return formatTime(atMs, state.timeZone);
}
