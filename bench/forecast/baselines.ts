import { valueAt } from '../../desk/model/forecast/curve-value.ts';
import { innerErrors } from '../../desk/model/forecast/inner-errors.ts';
import type { MatchCurve } from '../../desk/model/forecast/match-curve.ts';

/** Shares of the valid tickets. */
interface ShareRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** What is known without a model. Each gets its range as ours does: by its errors when each earlier match is left out. */
interface Baseline {
  readonly name: string;
  readonly rangeOf: (today: MatchCurve, earlier: readonly MatchCurve[], minutesBefore: number) => ShareRange;
}

/** Which share is in at kick-off, by what is known so many minutes before. */
type Guess = (today: MatchCurve, earlier: readonly MatchCurve[], minutesBefore: number) => number;

const RATE_MINUTES = 5;

/** The last five minutes go on. */
const rate: Guess = (today, _earlier, minutesBefore) => {
  const now = shareAt(today, -minutesBefore);
  return now + ((now - shareAt(today, -minutesBefore - RATE_MINUTES)) / RATE_MINUTES) * minutesBefore;
};

/** As many times what is in now as on average at earlier matches. */
const ratio: Guess = (today, earlier, minutesBefore) => {
  const usual = meanOf(earlier.map((curve) => shareAt(curve, -minutesBefore)));
  const atKickOff = meanOf(earlier.map((curve) => shareAt(curve, 0)));
  return usual === 0 ? atKickOff : (shareAt(today, -minutesBefore) / usual) * atKickOff;
};

/** The share that was in at the kick-off of the last match. */
const lastMatch: Guess = (_today, earlier) => {
  const last = earlier.at(-1);
  return last ? shareAt(last, 0) : 0;
};

export const BASELINES: readonly Baseline[] = [
  { name: 'rate', rangeOf: rangeBy(rate) },
  { name: 'ratio', rangeOf: rangeBy(ratio) },
  { name: 'same as the last match', rangeOf: rangeBy(lastMatch) },
];

function rangeBy(guess: Guess): Baseline['rangeOf'] {
  return (today, earlier, minutesBefore) => {
    const guessed = (one: MatchCurve, others: readonly MatchCurve[]): number =>
      Math.min(1, Math.max(shareAt(one, -minutesBefore), guess(one, others, minutesBefore)));
    const errors = earlier
      .map((one, index) => shareAt(one, 0) - guessed(one, earlier.toSpliced(index, 1)))
      .toSorted((a, b) => a - b);
    const [least, most] = innerErrors(errors);
    const middle = guessed(today, earlier);
    const inside = (share: number): number => Math.min(1, Math.max(shareAt(today, -minutesBefore), share));
    return { low: inside(middle + least), middle, high: inside(middle + most) };
  };
}

export function shareAt({ admitted, valid }: MatchCurve, min: number): number {
  return valueAt(admitted, min) / Math.max(1, valueAt(valid, min));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
