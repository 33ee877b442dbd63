import { createStore, type ReadableStore } from '../../page/store.ts';
import type { BoardProps } from './board-props.ts';

/**
 * A flash has four stages: 0 is its peak, from 1 on it fades. Each is long enough for a sector whose count never stops
 * changing to pulse less than three times a second (WCAG 2.3.1).
 */
export const STAGE_MS = 450;
export const STAGES = 4;

/** The stage of each sector that flashes, by its code. */
export type Flashes = ReadonlyMap<string, number>;

/**
 * The end of a stage waits up to this long for the next counts and is drawn in their frame: a screen's load is the number of
 * frames that it draws.
 */
const WAIT_FOR_COUNTS_MS = 150;

/**
 * Starts a sector's flash, or restarts it, when its count changes; a first value is no change. It follows the state as long
 * as the page lives. `now`: milliseconds of a monotonic clock.
 */
export function watchFlashes(
  state: BoardProps['state'],
  codes: readonly string[],
  now = () => performance.now(),
): ReadableStore<Flashes> {
  const flashes = createStore<Flashes>(new Map());
  const startedAtMs = new Map<string, number>();
  let counts = state.get().shown?.counts.sectors;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const refresh = () => {
    const nowMs = now();
    const before = counts;
    counts = state.get().shown?.counts.sectors;
    for (const code of codes) {
      if (before?.[code] !== undefined && before[code] !== counts?.[code]) startedAtMs.set(code, nowMs);
    }
    const stages = new Map<string, number>();
    let nextStageMs = Infinity;
    for (const [code, startMs] of startedAtMs) {
      const stage = Math.floor((nowMs - startMs) / STAGE_MS);
      if (stage >= STAGES) {
        startedAtMs.delete(code);
        continue;
      }
      stages.set(code, stage);
      nextStageMs = Math.min(nextStageMs, startMs + (stage + 1) * STAGE_MS - nowMs);
    }
    clearTimeout(timer);
    if (nextStageMs < Infinity) timer = setTimeout(refresh, nextStageMs + WAIT_FOR_COUNTS_MS);
    flashes.set(stages);
  };
  state.subscribe(refresh);
  return flashes;
}
