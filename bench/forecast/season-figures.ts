import { COVERAGE, STORED_AT_MIN } from '../../desk/model/forecast/limits.ts';
import { type Figure, figure } from '../report/figure.ts';
import { OURS, OURS_OF_SECTORS, type Trial } from './backtest.ts';
import { BASELINES } from './baselines.ts';

const PROMISED_COVERAGE = { from: 75, to: 90 };
const MOST_SCORE = 0.32;

interface Which {
  readonly method: string;
  readonly matches: number;
  readonly minutesBefore: readonly number[];
}

/** Of one season. `isPromised`: with what they have to reach. */
export function seasonFigures(
  name: string,
  trials: readonly Trial[],
  isPromised: boolean,
): readonly Figure[] {
  const score = ({ method, matches, minutesBefore }: Which) =>
    scoreOf(
      trials.filter(
        (trial) =>
          trial.method === method && trial.matches === matches && minutesBefore.includes(trial.minutesBefore),
      ),
    );
  const ifPromised = (target: Figure['target']): Figure['target'] => (isPromised ? target : undefined);
  const coverage = (method: string, matches: number, minutesBefore: readonly number[]): number =>
    100 * score({ method, matches, minutesBefore }).coverage;
  const scoreAt = (method: string, matches: number, minutes: number): number =>
    score({ method, matches, minutesBefore: [minutes] }).interval;
  const toBestBaseline = (minutes: number): number =>
    scoreAt(OURS, 12, minutes) /
    Math.min(...BASELINES.map((baseline) => scoreAt(baseline.name, 12, minutes)));
  const at30 = score({ method: OURS, matches: 12, minutesBefore: [30] });
  return [
    ...[9, 12].flatMap((matches) => [
      figure(
        `${name}: ranges that held, ${matches} matches, T−90 to T−15`,
        '%',
        [coverage(OURS, matches, STORED_AT_MIN)],
        ifPromised(PROMISED_COVERAGE),
      ),
      figure(`${name}: · at T−30`, '%', [coverage(OURS, matches, [30])]),
      figure(`${name}: · of sectors, at T−30`, '%', [coverage(OURS_OF_SECTORS, matches, [30])]),
      figure(
        `${name}: interval score at T−30, ${matches} matches`,
        'of valid',
        [scoreAt(OURS, matches, 30)],
        ifPromised({ atMost: MOST_SCORE }),
      ),
    ]),
    figure(`${name}: · width of the range`, 'of valid', [at30.width]),
    figure(`${name}: · mean error of its middle`, 'of valid', [at30.error]),
    ...BASELINES.map((baseline) =>
      figure(`${name}: · interval score of “${baseline.name}”`, 'of valid', [scoreAt(baseline.name, 12, 30)]),
    ),
    figure(`${name}: score ÷ best baseline, T−60`, '×', [toBestBaseline(60)]),
    figure(`${name}: score ÷ best baseline, T−30`, '×', [toBestBaseline(30)], ifPromised({ atMost: 1 })),
    figure(`${name}: score ÷ best baseline, T−15`, '×', [toBestBaseline(15)]),
  ];
}

interface Score {
  /** Which share of the ranges held. */
  readonly coverage: number;
  /** Means of shares of the valid tickets. */
  readonly width: number;
  readonly error: number;
  /** The interval score: the width, and ten times what lies outside an 80 % range. Lower is better. */
  readonly interval: number;
}

function scoreOf(trials: readonly Trial[]): Score {
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
