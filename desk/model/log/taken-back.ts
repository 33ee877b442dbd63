import type { LogRow, TakeBackReason } from './flow-log.ts';
import { whyTakenBack } from './marks.ts';

/** What became of an entry that a take-back names: a mark may have ended; anything else holds no more, as if by mistake. */
export interface TakenBack {
  readonly why: TakeBackReason;
  readonly atMs: number;
  readonly by: string | null;
}

/** By the ids of the entries. A mark that has ended, and turned out to have been a mistake, was one. */
export function readTakenBack(log: readonly LogRow[]): ReadonlyMap<string, TakenBack> {
  const marks = new Map(log.flatMap((row) => (row.kind === 'mark' ? [[row.id, row] as const] : [])));
  const takenBack = new Map<string, TakenBack>();
  for (const row of log) {
    if (row.kind !== 'take-back') continue;
    const { id } = row.data;
    const mark = marks.get(id);
    const why = mark ? whyTakenBack(mark, row) : 'mistake';
    const before = takenBack.get(id);
    if (!before || (before.why === 'ended' && why === 'mistake'))
      takenBack.set(id, { why, atMs: row.atMs, by: row.by });
  }
  return takenBack;
}
