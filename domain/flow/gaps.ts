import { type Minute, MINUTE_MS } from './minute.ts';

/** Minutes that are not known, between two that are. */
export interface Gap {
  /** When the first of them begins, and the last of them ends. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The gaps between known minutes, which are given in order. */
export function findGaps(minutes: readonly Pick<Minute, 'minuteMs'>[]): readonly Gap[] {
  return minutes.flatMap(({ minuteMs: toMs }, place) => {
    const before = minutes[place - 1];
    const fromMs = before ? before.minuteMs + MINUTE_MS : toMs;
    return fromMs < toMs ? [{ fromMs, toMs }] : [];
  });
}
