import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { MINUTE_MS } from '../../desk/model/series/minute.ts';
import type { RecordedSector } from './recorded-match.ts';

export interface WatchOptions {
  readonly kickOffAtMs: number;
  /** Minutes to kick-off; observation begins at the first. */
  readonly fromMin?: number;
  readonly untilMin: number;
}

/** Returns a series that has observed these sectors up to a minute to kick-off, minute by minute. */
export function observedSeries(
  sectors: readonly RecordedSector[],
  { kickOffAtMs, fromMin = -150, untilMin }: WatchOptions,
): FlowSeries {
  const series = new FlowSeries({ sectorCount: sectors.length });
  const atMs = (min: number): number => kickOffAtMs + min * MINUTE_MS;
  const totals = sectors.map(({ valid, admittedAt }) => ({ valid, admitted: admittedAt(fromMin) }));
  series.begin(atMs(fromMin), totals);
  for (let min = fromMin; min < untilMin; min += 1) {
    const changes = sectors.map(({ admittedAt }, sector) => {
      const admitted = admittedAt(min + 1) - admittedAt(min);
      const [entered, reverted] = [Math.max(0, admitted), Math.max(0, -admitted)];
      return { sector, admitted, entered, reverted, moved: 0, valid: 0 };
    });
    series.commit(
      atMs(min),
      changes.filter(({ admitted }) => admitted !== 0),
    );
    series.advanceTo(atMs(min + 1));
  }
  return series;
}
