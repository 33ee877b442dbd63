import type { DeskView } from '../desk-view.ts';
import { formatTime } from '../event-time.ts';

/** "Já está marcado: Bia, 18:33". */
export function alreadyWords(
  what: string,
  by: string | null,
  atMs: number,
  { state }: Pick<DeskView, 'state'>,
): string {
  return `${what}: ${by === null ? '' : `${by}, `}${formatTime(atMs, state.timeZone)}`;
}
