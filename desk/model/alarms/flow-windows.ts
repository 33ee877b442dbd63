import type { SeriesReading } from '../series/series-reading.ts';
import { BUCKET_MS, MINUTE_MS } from '../series/minute.ts';
import { BASE_MS, MAX_BASE_AGE_MS, MAX_UNOBSERVED_MS } from './limits.ts';

/** A span between two observed boundaries. */
export interface FlowWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The rules look back over a stop that was suspended for half an hour, and the usual flow before it. */
const LOOK_BACK_MS = 75 * MINUTE_MS;

/**
 * Net entries without late batches, by sector, in windows that end at or before the last boundary. A window begins and ends at
 * observed boundaries, and is whole if no part of it was unobserved for longer than MAX_UNOBSERVED_MS.
 */
export class FlowWindows {
  readonly #series: SeriesReading;
  /** The observed boundaries, the newest first. */
  readonly observedMs: readonly number[];
  /** Unobserved parts that are too long, the newest first. */
  readonly #gaps: readonly FlowWindow[];
  readonly #flows = new Map<string, Int32Array | undefined>();

  constructor(series: SeriesReading, endMs: number) {
    this.#series = series;
    const observedMs: number[] = [];
    const gaps: FlowWindow[] = [];
    for (let ms = endMs; ms >= endMs - LOOK_BACK_MS; ms -= BUCKET_MS) {
      if (series.admittedAt(ms, 0) === undefined) continue;
      const laterMs = observedMs.at(-1);
      if (laterMs !== undefined && laterMs - ms > MAX_UNOBSERVED_MS) gaps.push({ fromMs: ms, toMs: laterMs });
      observedMs.push(ms);
    }
    this.observedMs = observedMs;
    this.#gaps = gaps;
  }

  /** Returns the window of at least this length that ends at this observed boundary; `undefined` unless it is whole. */
  ending(toMs: number, lengthMs: number): FlowWindow | undefined {
    const fromMs = this.#observedBefore(toMs - lengthMs);
    if (fromMs === undefined || !this.#isObserved(toMs) || this.#gapWithin(fromMs, toMs)) return undefined;
    return { fromMs, toMs };
  }

  /** Returns the ten minutes before; with a gap in them, the ten minutes before the gap, unless they are too long ago. */
  baseBefore(beforeMs: number): FlowWindow | undefined {
    const toMs = this.#observedBefore(beforeMs);
    const window = toMs === undefined ? undefined : this.ending(toMs, BASE_MS);
    if (window) return window;
    const gap = this.#gaps.find((each) => each.fromMs < beforeMs && each.toMs > beforeMs - BASE_MS);
    const oldestMs = (this.observedMs[0] ?? 0) - MAX_BASE_AGE_MS;
    return gap && gap.fromMs >= oldestMs ? this.baseBefore(gap.fromMs) : undefined;
  }

  /** Returns the flow by sector. The caller must not change the array. */
  flow(window: FlowWindow): Int32Array | undefined {
    const key = `${window.fromMs} ${window.toMs}`;
    if (!this.#flows.has(key)) this.#flows.set(key, this.#read(window));
    return this.#flows.get(key);
  }

  flowOf({ fromMs, toMs }: FlowWindow, sector: number): number | undefined {
    return this.#series.flowBetween(fromMs, toMs, sector);
  }

  /** Returns how many were in at this boundary; `undefined` unless it was observed. */
  admittedAt(ms: number, sector: number): number | undefined {
    return this.#series.admittedAt(ms, sector);
  }

  /** Returns the boundary since which nobody has entered the sector, or at which a gap ended. */
  silentSince(sector: number): number {
    return this.#silentSince(sector, () => false);
  }

  /** Returns what `silentSince` does, but looks beyond gaps over which the count did not grow, as the last entry does. */
  ungrownSince(sector: number): number {
    return this.#silentSince(sector, (before = 0, after = 0) => before >= after);
  }

  /** Whether anybody has entered the sector since this boundary, however many readings were taken back. */
  hasEnteredSince(ms: number, sector: number): boolean {
    const boundaries = this.observedMs.filter((each) => each >= ms);
    return boundaries.some((toMs, index) => {
      const fromMs = boundaries[index + 1];
      return fromMs !== undefined && (this.flowOf({ fromMs, toMs }, sector) ?? 0) > 0;
    });
  }

  #silentSince(sector: number, passesGap: (before?: number, after?: number) => boolean): number {
    let [sinceMs = 0] = this.observedMs;
    let admitted = this.#series.admittedAt(sinceMs, sector);
    for (const fromMs of this.observedMs) {
      const isGap = sinceMs - fromMs > MAX_UNOBSERVED_MS;
      if (isGap && !passesGap(this.#series.admittedAt(fromMs, sector), admitted)) break;
      const before = this.#series.admittedAt(fromMs, sector);
      // Late batches are only searched where the count changed: most silences are long.
      if (before !== admitted && (this.flowOf({ fromMs, toMs: sinceMs }, sector) ?? 1) > 0) break;
      admitted = before;
      sinceMs = fromMs;
    }
    return sinceMs;
  }

  #read({ fromMs, toMs }: FlowWindow): Int32Array | undefined {
    const flow = new Int32Array(this.#series.sectorCount);
    for (let sector = 0; sector < flow.length; sector += 1) {
      const count = this.#series.flowBetween(fromMs, toMs, sector);
      if (count === undefined) return undefined;
      flow[sector] = count;
    }
    return flow;
  }

  #isObserved(ms: number): boolean {
    return this.#series.admittedAt(ms, 0) !== undefined;
  }

  /** Returns the last observed boundary at or before, if it is near. */
  #observedBefore(beforeMs: number): number | undefined {
    for (let ms = beforeMs; ms > beforeMs - MAX_UNOBSERVED_MS; ms -= BUCKET_MS) {
      if (this.#isObserved(ms)) return ms;
    }
    return undefined;
  }

  #gapWithin(fromMs: number, toMs: number): boolean {
    return this.#gaps.some((gap) => gap.fromMs < toMs && gap.toMs > fromMs);
  }
}

export function ratePerMinute(count: number, { fromMs, toMs }: FlowWindow): number {
  return (count * MINUTE_MS) / (toMs - fromMs);
}
