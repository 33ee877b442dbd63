import type { LogKind, LogRow, TakeBackReason } from '../../model/log/flow-log.ts';
import { suspensionEndMs } from '../../model/alarms/suspensions.ts';
import { canBeTakenBack } from '../../model/log/log-state.ts';
import { readTakenBack, type TakenBack } from '../../model/log/taken-back.ts';

/** How a desk can take an entry back: a mark has two ways, and only the gates tool withdraws an import. */
export function waysToTakeBack(
  row: LogRow,
  takenBack: ReadonlyMap<string, TakenBack>,
  nowMs: number,
): readonly (TakeBackReason | undefined)[] {
  const { id, kind } = row;
  if (kind === 'suspend' && suspensionEndMs(row) <= nowMs) return [];
  const before = takenBack.get(id)?.why;
  if (kind === 'mark')
    return before === undefined ? ['ended', 'mistake'] : before === 'ended' ? ['mistake'] : [];
  return canBeTakenBack(kind) && kind !== 'import' && before === undefined ? [undefined] : [];
}

/** The newest entry of this kind that has not been taken back. */
export function activeEntry(log: readonly LogRow[], kind: LogKind): LogRow | undefined {
  const takenBack = readTakenBack(log);
  return log.findLast((row) => row.kind === kind && !takenBack.has(row.id));
}
