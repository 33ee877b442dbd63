import { flowOf, type Minute, MINUTE_MS } from '../../model/series/minute.ts';

export const SPARKLINE = { width: 120, height: 24 };

const MINUTES = 30;

/**
 * The path of a row's admissions in the thirty minutes before `endMs`, without late batches, scaled to its own maximum. An unknown
 * minute is a gap. The path is empty where nobody entered: a flat line would look like a rule between two rows.
 */
export function sparklinePath(minutes: readonly Minute[], rowIndex: number, endMs: number): string {
  const fromMs = endMs - MINUTES * MINUTE_MS;
  const points: { readonly at: number; readonly flow: number }[] = [];
  for (const { minuteMs, sectors } of minutes) {
    const sector = sectors[rowIndex];
    if (!sector || minuteMs < fromMs || minuteMs >= endMs) continue;
    points.push({ at: (minuteMs - fromMs) / MINUTE_MS, flow: Math.max(0, flowOf(sector)) });
  }
  const highest = Math.max(0, ...points.map(({ flow }) => flow));
  if (highest === 0) return '';
  const { width, height } = SPARKLINE;
  return points
    .map(({ at, flow }, index) => {
      const isJoined = points[index - 1]?.at === at - 1;
      const x = (at * width) / (MINUTES - 1);
      const y = height - (flow * height) / highest;
      // A single point is a line without length, which a round cap makes a dot.
      return `${isJoined ? 'L' : 'M'}${round(x)} ${round(y)}${isJoined ? '' : 'h0'}`;
    })
    .join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
