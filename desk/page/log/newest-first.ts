import type { LogRow } from '../../model/log/flow-log.ts';

/**
 * Sorts at most `most` of the last recorded rows by their time: an alarm has the time of its cause, and may be recorded after a
 * later entry of an operator.
 */
export function newestFirst<T extends Pick<LogRow, 'atMs' | 'seq'>>(
  log: readonly T[],
  most: number,
): readonly T[] {
  return log.slice(-most).toSorted((a, b) => b.atMs - a.atMs || b.seq - a.seq);
}
