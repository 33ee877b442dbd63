import { CURVE_FROM_MIN } from '../../domain/flow/forecast/limits.ts';
import type { MatchCurve } from '../../domain/flow/forecast/match-curve.ts';

interface ShareRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** What others show: each is given a range in the same way, by its errors when each earlier match is left out. */
export interface Baseline {
  readonly name: string;
  readonly range: (today: MatchCurve, earlier: readonly MatchCurve[], minutesBefore: number) => ShareRange;
}

/** Of the valid tickets: the share in at kick-off, from what was known so many minutes before. */
type Guess = (today: MatchCurve, earlier: readonly MatchCurve[], minutesBefore: number) => number;

const RATE_MINUTES = 5;
const OUTSIDE = 0.1;

/** The last five minutes go on. */
const rate: Guess = (today, _earlier, minutesBefore) => {
  const now = shareAt(today, -minutesBefore);
  return now + ((now - shareAt(today, -minutesBefore - RATE_MINUTES)) / RATE_MINUTES) * minutesBefore;
};

/** As many times what is in now as on average at earlier matches. */
const ratio: Guess = (today, earlier, minutesBefore) => {
  const usual = meanOf(earlier.map((curve) => shareAt(curve, -minutesBefore)));
  const atKickOff = meanOf(earlier.map((curve) => shareAt(curve, 0)));
  return (shareAt(today, -minutesBefore) / Math.max(usual, 1e-6)) * atKickOff;
};

/** The share that was in at the last match's kick-off. */
const lastMatch: Guess = (_today, earlier) => {
  const last = earlier.at(-1);
  return last ? shareAt(last, 0) : 0;
};

export const BASELINES: readonly Baseline[] = [
  { name: 'rate', range: rangeOf(rate) },
  { name: 'ratio', range: rangeOf(ratio) },
  { name: 'same as the last match', range: rangeOf(lastMatch) },
];

function rangeOf(guess: Guess): Baseline['range'] {
  return (today, earlier, minutesBefore) => {
    const bounded = (share: number): number => Math.min(1, Math.max(shareAt(today, -minutesBefore), share));
    const errors = earlier
      .map(
        (one, index) => shareAt(one, 0) - Math.min(1, guess(one, earlier.toSpliced(index, 1), minutesBefore)),
      )
      .toSorted((a, b) => a - b);
    const middle = bounded(guess(today, earlier, minutesBefore));
    const lower = Math.max(1, Math.floor((errors.length + 1) * OUTSIDE));
    const upper = Math.min(errors.length, Math.ceil((errors.length + 1) * (1 - OUTSIDE)));
    return {
      low: bounded(middle + (errors[lower - 1] ?? 0)),
      middle,
      high: bounded(middle + (errors[upper - 1] ?? 0)),
    };
  };
}

function shareAt({ admitted, valid }: MatchCurve, min: number): number {
  const index = CURVE_FROM_MIN + min;
  return (admitted[index] ?? 0) / Math.max(1, valid[index] ?? 0);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
