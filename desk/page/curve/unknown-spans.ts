import { type CurvePoint, readCurve } from '../../model/series/curve.ts';
import { findGaps, type Gap } from '../../model/series/gaps.ts';
import { readLogState } from '../../model/log/log-state.ts';
import { bucketOf, MINUTE_MS, minuteOf } from '../../model/series/minute.ts';
import type { DeskView } from '../desk-view.ts';
import { curveWindow, type TimeWindow } from './curve-window.ts';
import { logMarkers } from './log-marker.ts';

/** Missing minutes are a gap only after this time; a shorter span is a minute that is about to close. */
export const CLOSING_MS = 2 * MINUTE_MS;

/**
 * The spans that were not observed: between known minutes; from the gates' opening to the first one, if people were in by then;
 * and from the last one to now, or to the end of the window. `known`: the curve of the ground, or of a sector.
 */
export function unknownSpans(
  { state: { nowMs, times }, minutes }: Pick<DeskView, 'state' | 'minutes'>,
  known: readonly CurvePoint[],
  window: TimeWindow,
): readonly Gap[] {
  const gaps = [...findGaps(minutes.map(({ minuteMs }) => minuteMs))];
  const [first, last] = [known[0], known.at(-1)];
  const openMs = times.gatesOpenAtMs ?? window.fromMs;
  if (first && first.admitted > 0 && first.atMs > openMs) gaps.unshift({ fromMs: openMs, toMs: first.atMs });
  const fromMs = last?.atMs ?? openMs;
  const toMs = bucketOf(nowMs);
  if (toMs - fromMs > CLOSING_MS) gaps.push({ fromMs, toMs: Math.min(toMs, window.toMs) });
  return gaps.filter((gap) => gap.fromMs < gap.toMs);
}

export function unknownSpansOfGround(view: DeskView): readonly Gap[] {
  const known = readCurve(view.minutes);
  const { plannedKickOffAtMs } = readLogState(view.log);
  return unknownSpans(
    view,
    known,
    curveWindow(view.state, plannedKickOffAtMs, known, logMarkers(view, null)),
  );
}

/** Counts the minutes that have ended and that these spans touch: a minute observed in part is unknown. */
export function countMinutes(spans: readonly Gap[], nowMs: number): number {
  const touched = new Set<number>();
  for (const { fromMs, toMs } of spans) {
    for (let ms = minuteOf(fromMs); ms < toMs && ms + MINUTE_MS <= nowMs; ms += MINUTE_MS) touched.add(ms);
  }
  return touched.size;
}
