export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Growth of `y` per unit of `x`, by least squares. `points`: two at least, at different `x`. */
export function slopeOf(points: readonly Point[]): number {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const variance = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (!(variance > 0)) throw new Error('a slope takes two points at least');
  return points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / variance;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
