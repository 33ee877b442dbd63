import { MINUTE_MS } from './minute.ts';

/** Unconfirmed minutes between two confirmed ones. */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Returns the gaps between confirmed minutes, whose beginnings are in order. */
export function findGaps(minutesMs: readonly number[]): readonly Gap[] {
  return minutesMs.flatMap((toMs, place) => {
    const before = minutesMs[place - 1];
    const fromMs = before === undefined ? toMs : before + MINUTE_MS;
    return fromMs < toMs ? [{ fromMs, toMs }] : [];
  });
}
