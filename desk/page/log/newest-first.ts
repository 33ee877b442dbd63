import type { LogRow } from '../../model/log/flow-log.ts';

/**
 * At most so many of the last that were recorded, by when they were: an alarm is of the instant that it speaks of, and may
 * be recorded after what an operator said later.
 */
export function newestFirst<T extends Pick<LogRow, 'atMs' | 'seq'>>(
  log: readonly T[],
  most: number,
): readonly T[] {
  return log.slice(-most).toSorted((a, b) => b.atMs - a.atMs || b.seq - a.seq);
}
