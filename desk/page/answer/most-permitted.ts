import type { DeskState } from '../../model/desk-state.ts';
import type { Outlook } from '../../model/forecast/forecast.ts';

/** Returns how many of those expected the permitted capacities let in, of the ground without the sectors that its forecast leaves out. */
export function mostPermitted({ forecast, rows, total }: DeskState, { expected }: Outlook): number {
  const { without, sectors = [] } = forecast.kind === 'made' ? forecast : {};
  let most = expected.count;
  for (const [place, { code, admitted, valid, capacity }] of rows.entries()) {
    if (capacity === null || without?.includes(code)) continue;
    const own = sectors[place];
    const wanted = own?.expected.count ?? (expected.matches === 0 ? valid : 0);
    // Whoever is in already stays.
    most -= Math.max(0, wanted - Math.max(own?.admitted ?? 0, admitted, capacity));
  }
  return without ? most : Math.min(most, Math.max(total.admitted, total.capacity ?? Infinity));
}
