import { percentile } from '../../testing/statistics.ts';
import { type Figure, figure } from '../report/figure.ts';
import type { Trial } from './trials.ts';

/** What is promised (docs/flow.md). */
const MOST_FALSE_ALARMS = 2;
const FAST_STOP = { name: '≥ 40/min', least: 40, most: Infinity, withinMs: 135_000, share: 1 };
const SLOW_STOP = { name: '10 to 14/min', least: 10, most: 14, withinMs: 240_000, share: 0.8 };

export interface MatchSample {
  /** Raised in a match with nothing wrong. */
  readonly falseAlarms: number;
  /** Those of the rule that suggests itself. */
  readonly plainAlarms: number;
  readonly trials: readonly Trial[];
}

/** Of matches of one kind. */
export function matchFigures(name: string, samples: readonly MatchSample[]): readonly Figure[] {
  const trials = samples.flatMap((sample) => sample.trials);
  const stops = trials.filter(({ share }) => share === 0);
  const slows = trials.filter(({ share }) => share > 0);
  return [
    figure(`${name}: false alarms a match`, 'alarms', [mean(samples.map((each) => each.falseAlarms))], {
      atMost: MOST_FALSE_ALARMS,
    }),
    figure(`${name}: most in a match`, 'alarms', [Math.max(...samples.map((each) => each.falseAlarms))]),
    figure(`${name}: "20% below the minute before"`, 'alarms', [
      mean(samples.map((each) => each.plainAlarms)),
    ]),
    ...[FAST_STOP, SLOW_STOP].flatMap((promise) => stopFigures(name, stops, promise)),
    ...classFigures(`${name}: full stop at 4 to 8/min`, between(stops, 4, 8)),
    ...classFigures(`${name}: 30% left at ≥ 40/min`, between(slows, 40, Infinity)),
    ...classFigures(`${name}: 30% left at 20 to 40/min`, between(slows, 20, 40)),
  ];
}

function stopFigures(name: string, stops: readonly Trial[], promise: typeof FAST_STOP): readonly Figure[] {
  const { least, most, withinMs, share } = promise;
  const trials = between(stops, least, most);
  if (trials.length === 0) return [];
  const inTime =
    trials.filter(({ foundAfterMs = Infinity }) => foundAfterMs <= withinMs).length / trials.length;
  const what = `${name}: full stop at ${promise.name}`;
  return [
    figure(`${what}, found within ${withinMs / 1_000} s (${trials.length})`, '%', [100 * inTime], {
      atLeast: 100 * share,
    }),
    ...delayFigures(what, trials),
  ];
}

function classFigures(what: string, trials: readonly Trial[]): readonly Figure[] {
  if (trials.length === 0) return [];
  const found = trials.filter(({ foundAfterMs }) => foundAfterMs !== undefined).length / trials.length;
  return [
    figure(`${what}, found within 14 min (${trials.length})`, '%', [100 * found]),
    ...delayFigures(what, trials),
  ];
}

function delayFigures(what: string, trials: readonly Trial[]): readonly Figure[] {
  const delaysS = trials.flatMap(({ foundAfterMs }) =>
    foundAfterMs === undefined ? [] : [foundAfterMs / 1_000],
  );
  if (delaysS.length === 0) return [];
  return [
    figure(`${what}, delay, median`, 's', [percentile(delaysS, 0.5)]),
    figure(`${what}, delay, p90`, 's', [percentile(delaysS, 0.9)]),
  ];
}

function between(trials: readonly Trial[], least: number, most: number): readonly Trial[] {
  return trials.filter(({ perMinute }) => perMinute >= least && perMinute < most);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
