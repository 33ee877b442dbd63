import type { LogKind, LogRow } from '../../../domain/flow/flow-log.ts';
import { canBeTakenBack } from '../../../domain/flow/log-state.ts';

/** The ids of the entries that no longer hold. */
export function takenBackIn(log: readonly LogRow[]): ReadonlySet<string> {
  return new Set(log.flatMap((row) => (row.kind === 'take-back' ? [row.data.id] : [])));
}

/** Whether a desk can take it back. An import is of the gates tool, which withdraws it. */
export function isTakeable({ id, kind }: LogRow, takenBack: ReadonlySet<string>): boolean {
  return canBeTakenBack(kind) && kind !== 'import' && !takenBack.has(id);
}

/** The newest entry of this kind that holds. */
export function standingEntry(log: readonly LogRow[], kind: LogKind): LogRow | undefined {
  const takenBack = takenBackIn(log);
  return log.findLast((row) => row.kind === kind && !takenBack.has(row.id));
}
