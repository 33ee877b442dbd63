import { type Minute, MINUTE_MS } from './minute.ts';

export interface CurvePoint {
  readonly atMs: number;
  readonly admitted: number;
  /** Whether the minutes between the point before and this one are unknown. */
  readonly isAfterGap: boolean;
}

/** Returns both ends of each minute, for the sector with this index or in total. `minutes` are in order. */
export function readCurve(minutes: readonly Minute[], sector?: number): readonly CurvePoint[] {
  const points: CurvePoint[] = [];
  for (const { minuteMs, sectors } of minutes) {
    const rows = sector === undefined ? sectors : sectors.slice(sector, sector + 1);
    const admitted = rows.reduce((sum, row) => sum + row.admitted, 0);
    const net = rows.reduce((sum, row) => sum + row.net, 0);
    const before = points.at(-1);
    if (before?.atMs !== minuteMs) {
      points.push({ atMs: minuteMs, admitted: admitted - net, isAfterGap: before !== undefined });
    }
    points.push({ atMs: minuteMs + MINUTE_MS, admitted, isAfterGap: false });
  }
  return points;
}
