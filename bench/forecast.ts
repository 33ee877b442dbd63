import { setImmediate as letOthersRun } from 'node:timers/promises';
import { seededRandom } from '../gates/simulator/generated/random.ts';
import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { backtest, type Trial } from './forecast/backtest.ts';
import { measureEvaluations } from './forecast/evaluation.ts';
import { inventMatch, type Season } from './forecast/invented-match.ts';
import { seasonFigures } from './forecast/season-figures.ts';
import { figure } from './report/figure.ts';

const MOST_EVALUATION_MS = 5;
/** How many earlier matches a forecast is made of. */
const HISTORIES = [9, 12] as const;

interface Variant {
  readonly name: string;
  /** Earlier matches, and today's. Without them, how long a forecast takes is measured. */
  readonly seasons?: readonly [earlier: Season, today: Season];
  /** Today is like the earlier matches: what is promised must hold. */
  readonly isPromised?: boolean;
}

/** Constants were chosen on all shapes with seeds below 400, before any of these was looked at. */
const ALIKE: readonly Variant[] = (
  [
    ['seed 401', { seed: 401, shape: 'default' }],
    ['seed 402', { seed: 402, shape: 'default' }],
    ['seed 403', { seed: 403, shape: 'default' }],
    ['Castelão', { seed: 404, shape: 'castelao' }],
    ['two waves', { seed: 405, shape: 'two-waves' }],
    ['convoy', { seed: 406, shape: 'convoy' }],
  ] satisfies (readonly [string, Season])[]
).map(([name, season]) => ({ name, seasons: [season, season], isPromised: true }));

const USUAL: Season = { seed: 407, shape: 'default' };
const UNLIKE: readonly Variant[] = [
  { name: '12 min later than usual', seasons: [USUAL, { ...USUAL, seed: 408, lateness: 12 }] },
  { name: 'two waves after none', seasons: [USUAL, { seed: 409, shape: 'two-waves' }] },
];

/** Whether ranges hold as often as they say, and are narrower than what is known without a model. */
export const forecast = defineBenchmark({
  name: 'forecast',
  what: 'who is in by kick-off: generated matches, each forecast from nine and twelve others, beside three baselines',
  full: { rounds: 1, matches: 300 },
  quick: { rounds: 1, matches: 24 },

  setUp: () => Promise.resolve(undefined),
  // What it costs comes first: in a process that has just begun, and before the trials, which are kept, fill the memory that
  // is collected while it is measured.
  groups: () => [[{ name: 'evaluation' }], ALIKE, UNLIKE],
  async measure(_setup, { seasons }: Variant, { scale, signal }) {
    if (!seasons) return { trials: [], evaluations: [measureEvaluations()] };
    const [earlierSeason, todaySeason] = seasons;
    const random = seededRandom(earlierSeason.seed);
    const places = Array.from({ length: scale.matches }, (_, n) => n);
    const earlier = [];
    for (const n of places) {
      await letOthersRun(undefined, { signal });
      earlier.push(inventMatch(earlierSeason, n));
    }
    const trials: Trial[] = [];
    for (const n of places) {
      await letOthersRun(undefined, { signal });
      const today = earlierSeason === todaySeason ? earlier[n] : inventMatch(todaySeason, n);
      if (!today) throw new RangeError(`there is no match ${n}`);
      const others = drawn(earlier.toSpliced(n, 1), random).map((one) => one.earlier);
      const histories = HISTORIES.map((count) => others.slice(0, count));
      trials.push(...backtest(today, histories));
    }
    return { trials, evaluations: [] };
  },
  describe: ({ trials, evaluations: [evaluation] }) =>
    evaluation ? `${percentile(evaluation.warmMs, 0.5).toFixed(2)} ms a forecast` : `${trials.length} ranges`,
  figures(samples) {
    const evaluations = samples.of('evaluation').evaluations.flat();
    const [warmMs, coldMs] = [
      evaluations.flatMap((each) => each.warmMs),
      evaluations.flatMap((each) => each.coldMs),
    ];
    return [
      ...[...ALIKE, ...UNLIKE].flatMap(({ name, isPromised = false }) =>
        seasonFigures(name, samples.of(name).trials.flat(), isPromised),
      ),
      figure('a forecast, 61 sectors, twelve earlier matches, p99', 'ms', [percentile(warmMs, 0.99)], {
        atMost: MOST_EVALUATION_MS,
      }),
      figure('· the middle', 'ms', [percentile(warmMs, 0.5)]),
      figure('· the longest', 'ms', [Math.max(...warmMs)]),
      figure('· in a process that has just begun, p99', 'ms', [percentile(coldMs, 0.99)]),
    ];
  },
});

/** All of them, in an order by chance. */
function drawn<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
