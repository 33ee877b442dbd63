import { valueAt } from './curve-value.ts';
import { LATENESS_COST, MOST_LATENESS_MIN } from './limits.ts';

/** Which share of the valid tickets was in at a minute to kick-off. */
export interface SeenShare {
  readonly min: number;
  readonly share: number;
}

/** By how many minutes the usual curve has to be moved to lie best on what was seen; less than zero: the crowd is early. */
export function findLateness(usual: Float64Array, seen: readonly SeenShare[]): number {
  let best = { lateness: 0, cost: Infinity };
  for (let lateness = -MOST_LATENESS_MIN; lateness <= MOST_LATENESS_MIN; lateness += 1) {
    let cost = LATENESS_COST * Math.abs(lateness);
    for (const { min, share } of seen) cost += Math.abs(valueAt(usual, min - lateness) - share);
    if (cost < best.cost) best = { lateness, cost };
  }
  return best.lateness;
}

/** Which share of those pending at a minute gets in by another, if the usual curve comes so much later. */
export function shiftedShare(
  usual: Float64Array,
  lateness: number,
  [atMin, targetMin]: readonly [atMin: number, targetMin: number],
): number {
  const before = valueAt(usual, atMin - lateness);
  return (valueAt(usual, targetMin - lateness) - before) / (1 - before);
}
