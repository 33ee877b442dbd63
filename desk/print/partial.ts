import { MINUTE_MS } from '../model/series/minute.ts';
import type { RecordView } from './record-view.ts';

/** A match ends this long after its kick-off, or after the last admission if the kick-off is unknown. */
const MATCH_MS = 2 * 60 * MINUTE_MS;

/** Whether the record was made during the match, so that no figure is final. */
export function isPartial({ desk: { state } }: Pick<RecordView, 'desk'>): boolean {
  const { times, total, nowMs } = state;
  const fromMs = times.kickOffAtMs ?? total.lastEntryAtMs;
  return fromMs !== null && nowMs < fromMs + MATCH_MS;
}
