import { median } from '../../testing/statistics.ts';

/** One line of the table. `values`: one per round, at least one. */
export interface Figure {
  readonly what: string; // 'commit → screen, p99, at 50/s'
  readonly unit: string; // 'ms', 'B', '×', 'frames/s per core', ...
  readonly values: Values;
  /** What it has to reach; absent: told for comparison only. */
  readonly target?: Target | undefined;
}

/** Of one benchmark. */
export interface Result {
  readonly name: string;
  readonly what: string;
  readonly figures: readonly Figure[];
}

type Values = readonly number[];
export type Target =
  | { readonly atMost: number }
  | { readonly atLeast: number }
  | { readonly from: number; readonly to: number };

export function figure(what: string, unit: string, values: Values, target?: Target): Figure {
  return { what, unit, values, target };
}

/** Ours divided by theirs, round by round. */
export function ratio(what: string, ours: Values, theirs: Values, target?: Target): Figure {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? NaN));
  return figure(what, '×', ratios, target);
}

/** Of several samples, all values of each kind. */
export type Columns<Sample> = { readonly [Key in keyof Sample]: readonly Sample[Key][] };

/** `samples`: at least one. */
export function columnsOf<Sample extends object>(samples: readonly Sample[]): Columns<Sample> {
  const keys = Object.keys(samples[0] ?? {}) as (keyof Sample)[];
  const columns = keys.map((key) => [key, samples.map((sample) => sample[key])]);
  return Object.fromEntries(columns) as Columns<Sample>;
}

/** Whether the median reaches the target; `undefined`: there is none to reach. */
export function isMet({ values, target }: Figure): boolean | undefined {
  if (!target) return undefined;
  const middle = median(values);
  if ('from' in target) return target.from <= middle && middle <= target.to;
  return 'atMost' in target ? middle <= target.atMost : middle >= target.atLeast;
}
