/** The middle one; of an even number, the mean of the two in the middle. `values`: at least one. */
export function median(values: readonly number[]): number {
  const sorted = sortedOf(values);
  const half = sorted.length / 2;
  return (at(sorted, Math.ceil(half) - 1) + at(sorted, Math.floor(half))) / 2;
}

/** The smallest value that `share` (0 to 1) of all values do not exceed: the nearest rank. `values`: at least one. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = sortedOf(values);
  return at(sorted, Math.max(0, Math.ceil(share * sorted.length) - 1));
}

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Points of different series have levels of their own. */
  readonly series?: number;
}

/** Growth of `y` per unit of `x`, by least squares: one slope for all series. `undefined`: too few points to tell. */
export function slope(points: readonly Point[]): number | undefined {
  let [covariance, variance] = [0, 0];
  for (const one of new Set(points.map(({ series }) => series))) {
    const own = points.filter(({ series }) => series === one);
    const [meanX, meanY] = [mean(own.map(({ x }) => x)), mean(own.map(({ y }) => y))];
    for (const { x, y } of own) {
      covariance += (x - meanX) * (y - meanY);
      variance += (x - meanX) ** 2;
    }
  }
  return variance > 0 ? covariance / variance : undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function sortedOf(values: readonly number[]): readonly number[] {
  if (values.length === 0) throw new Error('nothing was measured: there is no value to take the middle of');
  return values.toSorted((a, b) => a - b);
}

function at(values: readonly number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`there is no value ${index} among ${values.length}`);
  return value;
}
