import type { SeriesReading } from '../series/series-reading.ts';
import { BUCKET_MS, MINUTE_MS } from '../series/minute.ts';
import { BASE_MS, MAX_BASE_AGE_MS, MAX_UNWATCHED_MS } from './limits.ts';

/** Between two watched boundaries. */
export interface FlowWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How far back the rules look: a stop that was suspended for half an hour, and what was usual before it. */
const LOOK_BACK_MS = 75 * MINUTE_MS;

/**
 * What flowed in windows that end at or before the last boundary, by sector; without lots. A window begins and ends at
 * watched boundaries. It is whole where no stretch within it was unwatched for longer than MAX_UNWATCHED_MS.
 */
export class FlowWindows {
  readonly #series: SeriesReading;
  /** The watched boundaries, the newest first. */
  readonly watchedMs: readonly number[];
  /** The stretches between two of them that are too long, the newest first. */
  readonly #gaps: readonly FlowWindow[];
  readonly #flows = new Map<string, Int32Array | undefined>();

  constructor(series: SeriesReading, endMs: number) {
    this.#series = series;
    const watchedMs: number[] = [];
    const gaps: FlowWindow[] = [];
    for (let ms = endMs; ms >= endMs - LOOK_BACK_MS; ms -= BUCKET_MS) {
      if (series.admittedAt(ms, 0) === undefined) continue;
      const laterMs = watchedMs.at(-1);
      if (laterMs !== undefined && laterMs - ms > MAX_UNWATCHED_MS) gaps.push({ fromMs: ms, toMs: laterMs });
      watchedMs.push(ms);
    }
    this.watchedMs = watchedMs;
    this.#gaps = gaps;
  }

  /** The window of at least this length that ends at this watched boundary; `undefined` where none is whole. */
  ending(toMs: number, lengthMs: number): FlowWindow | undefined {
    const fromMs = this.#watchedBefore(toMs - lengthMs);
    if (fromMs === undefined || !this.#isWatched(toMs) || this.#gapWithin(fromMs, toMs)) return undefined;
    return { fromMs, toMs };
  }

  /** The ten minutes before; those before a gap, or several, where they are in between and did not begin too long ago. */
  baseBefore(beforeMs: number): FlowWindow | undefined {
    const toMs = this.#watchedBefore(beforeMs);
    const window = toMs === undefined ? undefined : this.ending(toMs, BASE_MS);
    if (window) return window;
    const gap = this.#gaps.find((each) => each.fromMs < beforeMs && each.toMs > beforeMs - BASE_MS);
    const oldestMs = (this.watchedMs[0] ?? 0) - MAX_BASE_AGE_MS;
    return gap && gap.fromMs >= oldestMs ? this.baseBefore(gap.fromMs) : undefined;
  }

  /** By sector, the others included. Not to be changed. */
  flow(window: FlowWindow): Int32Array | undefined {
    const key = `${window.fromMs} ${window.toMs}`;
    if (!this.#flows.has(key)) this.#flows.set(key, this.#read(window));
    return this.#flows.get(key);
  }

  /** Of one sector. */
  flowOf({ fromMs, toMs }: FlowWindow, sector: number): number | undefined {
    return this.#series.flowBetween(fromMs, toMs, sector);
  }

  /** The last boundary before which something flowed in a sector, or behind a stretch of which nothing is known. */
  silentSince(sector: number): number {
    let [sinceMs = 0] = this.watchedMs;
    let admitted = this.#series.admittedAt(sinceMs, sector);
    for (const fromMs of this.watchedMs) {
      if (sinceMs - fromMs > MAX_UNWATCHED_MS) break;
      const before = this.#series.admittedAt(fromMs, sector);
      // Lots are looked for where there is something to leave out only: most of what is quiet is so for long.
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

  #isWatched(ms: number): boolean {
    return this.#series.admittedAt(ms, 0) !== undefined;
  }

  /** The last one at or before, if it is near. */
  #watchedBefore(beforeMs: number): number | undefined {
    for (let ms = beforeMs; ms > beforeMs - MAX_UNWATCHED_MS; ms -= BUCKET_MS) {
      if (this.#isWatched(ms)) return ms;
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
