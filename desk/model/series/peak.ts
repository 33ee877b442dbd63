import { type Minute, MINUTE_MS } from './minute.ts';

/** The most entries in some consecutive minutes, without late batches. */
export interface Peak {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/**
 * Returns the first of the highest runs of `length` consecutive minutes, for the sector with this index or in total; null
 * without such a run, or if nobody entered. `minutes` are in order.
 */
export function findPeak(minutes: readonly Minute[], length: number, sector?: number): Peak | null {
  let peak: Peak | null = null;
  let count = 0;
  let runLength = 0;
  for (const [place, minute] of minutes.entries()) {
    const goesOn = minutes[place - 1]?.minuteMs === minute.minuteMs - MINUTE_MS;
    if (!goesOn) [count, runLength] = [0, 0];
    count += flowOf(minute, sector);
    runLength += 1;
    const left = minutes[place - length];
    if (runLength > length && left) count -= flowOf(left, sector);
    if (runLength < length || count <= (peak?.count ?? 0)) continue;
    const toMs = minute.minuteMs + MINUTE_MS;
    peak = { fromMs: toMs - length * MINUTE_MS, toMs, count };
  }
  return peak;
}

function flowOf({ sectors }: Minute, sector: number | undefined): number {
  const rows = sector === undefined ? sectors : sectors.slice(sector, sector + 1);
  return rows.reduce((sum, { net, lots }) => sum + net - lots, 0);
}
