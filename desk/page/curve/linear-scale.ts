/** Maps numbers to pixels in proportion; `invert` maps back. */
export interface LinearScale {
  (value: number): number;
  readonly invert: (px: number) => number;
}

type Ends = readonly [from: number, to: number];

export function linearScale([from, to]: Ends, [fromPx, toPx]: Ends): LinearScale {
  const pxEach = (toPx - fromPx) / (to - from);
  return Object.assign((value: number): number => fromPx + (value - from) * pxEach, {
    invert: (px: number): number => from + (px - fromPx) / pxEach,
  });
}

/** Returns the multiples of 1, 2 or 5 times a power of ten from 0 to `most` of which there are about `count`. */
export function ticksTo(most: number, count: number): readonly number[] {
  const wanted = most / count;
  const power = 10 ** Math.floor(Math.log10(wanted));
  // Halfway between two factors, as their ratio counts.
  const square = (wanted / power) ** 2;
  const step = (square >= 50 ? 10 : square >= 10 ? 5 : square >= 2 ? 2 : 1) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}
