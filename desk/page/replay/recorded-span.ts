import type { DeskView } from '../desk-view.ts';

/** The first and the last minute that can be shown, by when they began. */
export interface RecordedSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Minutes that are not known lie within it: there the desk looks as it does without a source. */
export function spanOf(view: DeskView | undefined): RecordedSpan | undefined {
  const [first, last] = [view?.minutes[0], view?.minutes.at(-1)];
  return first && last && { firstMs: first.minuteMs, lastMs: last.minuteMs };
}
