import type { ForecastRange, Outlook } from './forecast.ts';

/** Rounds to hundreds; for smaller grounds to tens, or not at all. `among`: the greatest possible count. */
export function roundExpected(count: number, among: number): number {
  const step = stepFor(among);
  return Math.round(count / step) * step;
}

/** The same for a count of those of `all`, and never all of them: some who are missing do not become none. */
export function roundBelow(count: number, all: number): number {
  const rounded = roundExpected(count, all);
  return rounded < all ? rounded : Math.floor(count / stepFor(all)) * stepFor(all);
}

function stepFor(among: number): number {
  if (among >= 5_000) return 100;
  return among >= 500 ? 10 : 1;
}

/** Rounds a range as everybody reads it, and as it is judged: it stays between the admissions and the valid tickets. */
export function roundedRange(
  { low, high }: Pick<ForecastRange, 'low' | 'high'>,
  { admitted, valid }: Pick<Outlook, 'admitted' | 'valid'>,
): { readonly low: number; readonly high: number } {
  const rounded = (count: number): number =>
    Math.round(Math.max(admitted, Math.min(roundExpected(count, valid), Math.max(admitted, valid))));
  return { low: rounded(low), high: rounded(high) };
}
