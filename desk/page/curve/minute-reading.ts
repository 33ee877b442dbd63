import { MINUTE_MS } from '../../model/series/minute.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { formatTime } from '../event-time.ts';
import { formatRate } from '../figure-format.ts';
import type { Column, CurveModel } from './curve-model.ts';
import { lotWords } from './log-marker.ts';

/** A minute of the curve, known or not. */
export interface MinuteReading {
  readonly minuteMs: number;
  /** When it began: "18:29". */
  readonly time: string;
  /** Null if the minute is not known. */
  readonly column: Column | null;
  /** The entries of the log in this minute. */
  readonly entries: readonly string[];
}

/** All minutes from the first to the last known one, in order. */
export function minuteReadings({ columns, markers, timeZone }: CurveModel): readonly MinuteReading[] {
  const [first, last] = [columns[0], columns.at(-1)];
  if (!first || !last) return [];
  const byMinute = new Map(columns.map((column) => [column.minuteMs, column]));
  const count = (last.minuteMs - first.minuteMs) / MINUTE_MS + 1;
  return Array.from({ length: count }, (_, index) => {
    const minuteMs = first.minuteMs + index * MINUTE_MS;
    const isWithin = (ms: number): boolean => ms >= minuteMs && ms < minuteMs + MINUTE_MS;
    return {
      minuteMs,
      time: formatTime(minuteMs, timeZone),
      column: byMinute.get(minuteMs) ?? null,
      entries: markers.flatMap(({ atMs, kind, text }) => (kind !== 'lot' && isWithin(atMs) ? [text] : [])),
    };
  });
}

/** "18:29 · no mínimo 12.345 acessos · 210 por minuto · lote de 412 leituras" */
export function readingWords({ time, column, entries }: MinuteReading): string {
  if (!column) return [time, 'sem dados', ...entries].join(' · ');
  const { admitted, perMinute, lots, isAtLeast, isRateAtLeast } = column;
  return [
    time,
    `${atLeast(isAtLeast)}${formatCount(admitted)} ${admitted === 1 ? 'acesso' : 'acessos'}`,
    `${atLeast(isRateAtLeast)}${flowWords(perMinute)}`,
    ...(lots === 0 ? [] : [lotWords(lots)]),
    ...entries,
  ].join(' · ');
}

/** Precedes a number that may be higher, as people passed uncounted. */
export function atLeast(isAtLeast: boolean): string {
  return isAtLeast ? 'no mínimo ' : '';
}

function flowWords(perMinute: number): string {
  if (perMinute >= 0) return `${formatRate(perMinute)} por minuto`;
  return perMinute === -1 ? '1 leitura desfeita' : `${formatCount(-perMinute)} leituras desfeitas`;
}
