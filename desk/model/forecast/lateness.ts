import { valueAt } from './curve-value.ts';
import { CURVE_FROM_MIN, LATENESS_COST, MAX_LATENESS_MIN } from './limits.ts';

/** The share of the valid tickets that was in at a minute to kick-off. */
export interface SeenShare {
  readonly min: number;
  readonly share: number;
}

/** The costs of each lateness, reused by every search. */
const costs = new Float64Array(2 * MAX_LATENESS_MIN + 1);

/** Returns the shift of the usual curve, in minutes, that fits best; negative if the crowd is early. */
export function findLateness(usual: Float64Array, seen: readonly SeenShare[]): number {
  costs.fill(0);
  for (const { min, share } of seen) addDistances(usual, min + MAX_LATENESS_MIN, share);
  let [best, least] = [0, Infinity];
  for (let place = 0; place < costs.length; place += 1) {
    const lateness = place - MAX_LATENESS_MIN;
    const cost = (costs[place] ?? 0) + LATENESS_COST * Math.abs(lateness);
    if (cost < least) [best, least] = [lateness, cost];
  }
  return best;
}

/** Adds the distances of a share from the curve at a minute, one minute before, and so on. It runs thousands of times a second. */
function addDistances(usual: Float64Array, firstMin: number, share: number): void {
  const last = usual.length - 1;
  const index = Math.floor(firstMin + CURVE_FROM_MIN);
  const part = firstMin + CURVE_FROM_MIN - index;
  let after = usual[Math.min(last, Math.max(0, index + 1))] ?? 0;
  for (let place = 0; place < costs.length; place += 1) {
    const before = usual[Math.min(last, Math.max(0, index - place))] ?? 0;
    costs[place] = (costs[place] ?? 0) + Math.abs(before + part * (after - before) - share);
    after = before;
  }
}

/** Returns the share of those pending at a minute who are in by another, on the shifted curve; 1 if nobody is pending. */
export function shiftedShare(
  usual: Float64Array,
  lateness: number,
  [atMin, targetMin]: readonly [atMin: number, targetMin: number],
): number {
  const before = valueAt(usual, atMin - lateness);
  const pending = 1 - before;
  return pending > 0 ? (valueAt(usual, targetMin - lateness) - before) / pending : 1;
}
