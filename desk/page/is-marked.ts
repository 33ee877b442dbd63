import type { DeskState } from '../model/desk-state.ts';

/** Whether a mark is in force on a sector, or on the whole ground. */
export function isMarked({ marks }: Pick<DeskState, 'marks'>, code: string): boolean {
  const active = marks.filter(({ endedAtMs }) => endedAtMs === undefined);
  return active.some(({ sector }) => sector === null || sector === code);
}
