import type { DeskState } from '../../model/desk-state.ts';

/** Returns how many the permitted capacities let in, of the ground without these sectors. */
export function mostPermitted({ rows, total }: DeskState, without: readonly string[] | undefined): number {
  const most = rows.filter(({ code }) => !without?.includes(code)).reduce((sum, row) => sum + mostOf(row), 0);
  return without ? most : Math.min(most, mostOf(total));
}

/** Whoever is in already stays. */
function mostOf({ admitted, valid, invalid = 0, capacity }: DeskState['total']): number {
  return Math.max(admitted, Math.min(valid + invalid, capacity ?? Infinity));
}
