import { median } from '../../testing/statistics.ts';

/** One line of the table. `values`: one per round, at least one. */
export interface Figure {
  readonly what: string; // 'commit → screen, p99, at 50/s'
  readonly unit: string; // 'ms', 'B', '×', 'frames/s per core', ...
  readonly values: readonly number[];
  /** What it has to reach; absent: told for comparison only. */
  readonly target?: Target;
}

export type Target = { readonly atMost: number } | { readonly atLeast: number };

export function figure(what: string, unit: string, values: readonly number[], target?: Target): Figure {
  return { what, unit, values, ...(target && { target }) };
}

/** One value of each sample. */
export function valuesOf<Key extends string>(
  samples: readonly Readonly<Record<Key, number>>[],
  key: Key,
): number[] {
  return samples.map((sample) => sample[key]);
}

/** That value of ours divided by that of theirs, round by round. */
export function ratiosOf<Key extends string>(
  ours: readonly Readonly<Record<Key, number>>[],
  theirs: readonly Readonly<Record<Key, number>>[],
  key: Key,
): number[] {
  return ours.map((sample, round) => sample[key] / (theirs[round]?.[key] ?? NaN));
}

/** Whether the median reaches the target; `undefined`: there is none to reach. */
export function isMet({ values, target }: Figure): boolean | undefined {
  if (!target) return undefined;
  return 'atMost' in target ? median(values) <= target.atMost : median(values) >= target.atLeast;
}
