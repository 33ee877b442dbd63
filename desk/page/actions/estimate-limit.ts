import { formatCount } from '../../../page/design/number-format.ts';
import type { DeskFigures } from '../../model/desk-state.ts';

/** No stadium holds more. */
const MOST = 1_000_000;

/** Returns why so many cannot have passed unread where these figures are of; null where they can. */
export function whyTooMany(
  count: number,
  { valid, capacity }: Pick<DeskFigures, 'valid' | 'capacity'>,
): string | null {
  const most = Math.max(valid, capacity ?? 0);
  if (count <= (most === 0 ? MOST : most)) return null;
  if (most === 0) return 'Confira o número: tantos não cabem em estádio nenhum.';
  const what = most === capacity ? 'a lotação permitida' : 'os ingressos';
  return `Confira o número: ${what} aqui são ${formatCount(most)}.`;
}
