import { readSpan } from '../model/log/match-summary.ts';
import { MINUTE_MS } from '../model/series/minute.ts';
import type { RecordView } from './record-view.ts';

/** A match goes on for so long after its kick-off; where nobody has said when that is, after the last entry. */
const MATCH_MS = 2 * 60 * MINUTE_MS;

/** Whether the match still went on when it was recorded last: no figure is the final one. */
export function isPartial({ desk: { state, minutes } }: Pick<RecordView, 'desk'>): boolean {
  const { times, total, nowMs } = state;
  const fromMs = times.kickOffAtMs ?? total.lastEntryAtMs;
  return readSpan(minutes) !== null && fromMs !== null && nowMs < fromMs + MATCH_MS;
}
