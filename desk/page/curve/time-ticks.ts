import { MINUTE_MS } from '../../model/series/minute.ts';
import { createOffsetReader } from '../../../domain/time-zone.ts';
import type { TimeWindow } from './curve-window.ts';

const STEPS_MIN = [5, 10, 15, 30, 60, 120, 180, 360] as const;

/** Returns at most `most` round times of the event's time zone. */
export function timeTicks({ fromMs, toMs }: TimeWindow, timeZone: string, most: number): readonly number[] {
  const offsetMs = createOffsetReader(timeZone)(fromMs);
  const stepMin =
    STEPS_MIN.find((step) => (toMs - fromMs) / (step * MINUTE_MS) + 1 <= most) ?? STEPS_MIN.at(-1) ?? 60;
  const stepMs = stepMin * MINUTE_MS;
  const ticks: number[] = [];
  const firstMs = Math.ceil((fromMs + offsetMs) / stepMs) * stepMs - offsetMs;
  for (let ms = firstMs; ms <= toMs; ms += stepMs) ticks.push(ms);
  return ticks;
}
