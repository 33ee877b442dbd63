import { COVERAGE } from '../../desk/model/forecast/limits.ts';
import type { Trial } from './backtest.ts';

export interface Score {
  /** Which share of the ranges held. */
  readonly coverage: number;
  /** Means of shares of the valid tickets. */
  readonly width: number;
  readonly error: number;
  /** The interval score: the width, and ten times what lies outside an 80 % range. Lower is better. */
  readonly interval: number;
}

export function scoreOf(trials: readonly Trial[]): Score {
  if (trials.length === 0) throw new Error('nothing was forecast');
  const mean = (of: (trial: Trial) => number): number =>
    trials.reduce((sum, trial) => sum + of(trial), 0) / trials.length;
  const outside = ({ low, high, outcome }: Trial): number =>
    Math.max(0, low - outcome) + Math.max(0, outcome - high);
  return {
    coverage: mean((trial) => (outside(trial) === 0 ? 1 : 0)),
    width: mean(({ low, high }) => high - low),
    error: mean(({ middle, outcome }) => Math.abs(middle - outcome)),
    interval: mean((trial) => trial.high - trial.low + (2 / (1 - COVERAGE)) * outside(trial)),
  };
}
