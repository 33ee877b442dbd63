import type { DeskView } from '../desk-view.ts';

/** The beginnings of the first and the last minute that can be replayed. */
export interface RecordedSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The span may contain unknown minutes, in which the desk looks as without a source. */
export function spanOf(view: DeskView | undefined): RecordedSpan | undefined {
  const [first, last] = [view?.minutes[0], view?.minutes.at(-1)];
  return first && last && { firstMs: first.minuteMs, lastMs: last.minuteMs };
}
