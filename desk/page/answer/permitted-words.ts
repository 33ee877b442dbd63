import type { DeskState } from '../../model/desk-state.ts';
import type { Outlook } from '../../model/forecast/forecast.ts';
import { roundExpected } from '../../model/forecast/rounded-range.ts';
import { formatCount } from '../../../page/design/number-format.ts';
import { expectedWords } from './answer-figures.ts';

/** States how many of those expected the permitted capacities let in, where that is not all of them. */
export function permittedWords(
  { rows, total }: DeskState,
  { expected, valid }: Outlook,
  without: readonly string[] | undefined,
): readonly string[] {
  const most = rows.filter(({ code }) => !without?.includes(code)).reduce((sum, row) => sum + mostOf(row), 0);
  const permitted = without ? most : Math.min(most, mostOf(total));
  const wanted = expected.matches === 0 ? expected.count : roundExpected(expected.count, valid);
  if (wanted <= permitted) return [];
  return [
    `a lotação permitida deixa entrar no máximo ${formatCount(permitted)} dos ${expectedWords(expected, valid)} esperados`,
  ];
}

/** Whoever is in already stays. */
function mostOf({ admitted, valid, invalid = 0, capacity }: DeskState['total']): number {
  return Math.max(admitted, Math.min(valid + invalid, capacity ?? Infinity));
}
