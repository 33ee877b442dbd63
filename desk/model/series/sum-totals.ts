import type { SectorTotals } from './series-reading.ts';

export function sumTotals(totals: readonly SectorTotals[]): Required<SectorTotals> {
  const sum = { admitted: 0, valid: 0, invalid: 0 };
  for (const { admitted, valid, invalid = 0 } of totals) {
    sum.admitted += admitted;
    sum.valid += valid;
    sum.invalid += invalid;
  }
  return sum;
}
