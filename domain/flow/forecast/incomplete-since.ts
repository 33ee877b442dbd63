import type { LogRow } from '../flow-log.ts';
import { makesIncomplete } from '../log-state.ts';
import { MARK_SLIP_MS } from './limits.ts';

/**
 * Whose counts are incomplete since when; null: all of them. From a mark on, even if it was taken back: who was not read in
 * the meantime is still not counted.
 */
export function readIncompleteSince(log: readonly LogRow[]): ReadonlyMap<string | null, number> {
  const takenBackAtMs = new Map(
    log.flatMap((row) => (row.kind === 'take-back' ? [[row.data.id, row.atMs] as const] : [])),
  );
  const sinceMs = new Map<string | null, number>();
  for (const row of log) {
    if (row.kind !== 'mark' || !makesIncomplete(row.data.mark) || sinceMs.has(row.sector)) continue;
    if ((takenBackAtMs.get(row.id) ?? Infinity) - row.atMs > MARK_SLIP_MS) sinceMs.set(row.sector, row.atMs);
  }
  return sinceMs;
}
