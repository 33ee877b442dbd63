import type { FlowSeries, SectorChange } from '../model/series/flow-series.ts';
import { BUCKET_MS, MINUTE_MS } from '../model/series/minute.ts';
import type { GeneratedMatch } from '../../gates/simulator/generated/generated-match.ts';

export interface PlayOptions {
  /** Milliseconds since 1970, a multiple of a minute. */
  readonly kickOffMs: number;
  /** Minutes from kick-off; the default is ten before the gates open to 45 after kick-off. */
  readonly fromMinute?: number;
  readonly untilMinute?: number;
  /** Is called after each boundary of ten seconds. */
  readonly onBoundary?: (atMs: number) => void;
}

/** Plays a match into a new series, whose sectors are those of the match, then the others. */
export function playMatch(match: GeneratedMatch, series: FlowSeries, options: PlayOptions): void {
  const { kickOffMs, untilMinute = 45, onBoundary } = options;
  const playOn = beginMatch(match, series, options);
  let atMs = kickOffMs + beginningOf(match, options);
  while (atMs < kickOffMs + untilMinute * MINUTE_MS) {
    atMs = playOn();
    onBoundary?.(atMs);
  }
}

/** Starts a match in a new series. Returns a function that plays ten seconds and returns their end. */
export function beginMatch(
  match: GeneratedMatch,
  series: FlowSeries,
  options: Pick<PlayOptions, 'kickOffMs' | 'fromMinute'>,
): () => number {
  const { kickOffMs } = options;
  const fromMs = beginningOf(match, options);
  const next = match.sectors.map(({ entriesMs }) => countBefore(entriesMs, fromMs));
  const lotsBefore = (ms: number, lots: readonly { readonly atMs: number; readonly count: number }[]) =>
    lots.reduce((sum, { atMs, count }) => sum + (atMs < ms ? count : 0), 0);
  series.begin(kickOffMs + fromMs, [
    ...match.sectors.map(({ valid, lateBatches: lots }, sector) => ({
      admitted: (next[sector] ?? 0) + lotsBefore(fromMs, lots),
      valid,
    })),
    { admitted: 0, valid: 0 },
  ]);
  series.advanceTo(kickOffMs + fromMs);
  let ms = fromMs;
  return () => {
    const changes = match.sectors.flatMap(({ entriesMs }, sector) => {
      const from = next[sector] ?? 0;
      let to = from;
      while ((entriesMs[to] ?? Infinity) < ms + BUCKET_MS) to += 1;
      next[sector] = to;
      return to > from ? [entered(sector, to - from)] : [];
    });
    series.commit(kickOffMs + ms, changes);
    for (const [sector, { lateBatches: lots }] of match.sectors.entries()) {
      for (const { atMs, count } of lots) {
        if (atMs >= ms && atMs < ms + BUCKET_MS) series.commit(kickOffMs + ms, [entered(sector, count)]);
      }
    }
    ms += BUCKET_MS;
    series.advanceTo(kickOffMs + ms);
    return kickOffMs + ms;
  };
}

/** Returns the beginning in milliseconds to kick-off. */
function beginningOf(
  { gatesOpenMs }: GeneratedMatch,
  { fromMinute }: Pick<PlayOptions, 'fromMinute'>,
): number {
  return fromMinute === undefined ? gatesOpenMs - 10 * MINUTE_MS : fromMinute * MINUTE_MS;
}

function entered(sector: number, count: number): SectorChange {
  return { sector, admitted: count, entered: count, reverted: 0, moved: 0, valid: 0 };
}

function countBefore(entriesMs: Float64Array, ms: number): number {
  const first = entriesMs.findIndex((at) => at >= ms);
  return first === -1 ? entriesMs.length : first;
}
