import type { SectorTotals } from './series-reading.ts';

/** The totals of a sector or of the ground, also as a desk's state has them. */
type Totals = Omit<SectorTotals, 'invalid'> & { readonly invalid?: number | undefined };

/**
 * Returns how many people are still to enter if this share of the valid tickets comes in the end; negative if more are in.
 * Without a share it is the number of valid tickets that have not entered.
 */
export function stillToEnter({ admitted, valid, invalid = 0 }: Totals, share = 1): number {
  return share * valid - (admitted - invalid);
}
