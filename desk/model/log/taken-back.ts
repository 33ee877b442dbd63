import type { LogRow, TakeBackReason } from './flow-log.ts';
import { whyTakenBack } from './marks.ts';

/** How an entry was taken back: a mark may have ended, and an evacuation has; any other entry counts as a mistake. */
export interface TakenBack {
  readonly why: TakeBackReason;
  readonly atMs: number;
  readonly by: string | null;
  /** How a mark ended that was called a mistake afterwards. */
  readonly ended?: TakenBack;
  /** The estimate's mark was a mistake: nobody took back the estimate itself. */
  readonly isWithMark?: true;
}

/**
 * Returns the entries that were taken back, by id. A mark that ended and was later called a mistake is a mistake, and so are its
 * estimates.
 */
export function readTakenBack(log: readonly LogRow[]): ReadonlyMap<string, TakenBack> {
  const rows = new Map(log.map((row) => [row.id, row]));
  const takenBack = new Map<string, TakenBack>();
  for (const row of log) {
    if (row.kind !== 'take-back') continue;
    const { id } = row.data;
    const entry = rows.get(id);
    const why = entry ? whyTakenBack(entry, row) : 'mistake';
    const before = takenBack.get(id);
    if (!before || (before.why === 'ended' && why === 'mistake'))
      takenBack.set(id, { why, atMs: row.atMs, by: row.by, ...(before && { ended: before }) });
  }
  for (const { kind, id, data } of log) {
    const mark = kind === 'estimate' ? takenBack.get(data.mark) : undefined;
    if (mark?.why === 'mistake' && !takenBack.has(id)) takenBack.set(id, { ...mark, isWithMark: true });
  }
  return takenBack;
}
