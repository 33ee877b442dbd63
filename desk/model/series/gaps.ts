import { MINUTE_MS } from './minute.ts';

/** Minutes that are not known, between two that are. */
export interface Gap {
  /** When the first of them begins, and the last of them ends. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The gaps between known minutes, whose beginnings are given in order. */
export function findGaps(minutesMs: readonly number[]): readonly Gap[] {
  return minutesMs.flatMap((toMs, place) => {
    const before = minutesMs[place - 1];
    const fromMs = before === undefined ? toMs : before + MINUTE_MS;
    return fromMs < toMs ? [{ fromMs, toMs }] : [];
  });
}
