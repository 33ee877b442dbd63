import { setImmediate as letOthersRun } from 'node:timers/promises';
import { seededRandom } from '../gates/simulator/generated/random.ts';
import { defineBenchmark } from './benchmark.ts';
import { backtest, type Trial } from './forecast/backtest.ts';
import { inventMatch, type Season } from './forecast/invented-match.ts';
import { seasonFigures } from './forecast/season-figures.ts';

/** How many earlier matches a forecast is made of. */
const HISTORIES = [9, 12] as const;

interface Variant {
  readonly name: string;
  readonly seasons: readonly [earlier: Season, today: Season];
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
  groups: () => [ALIKE, UNLIKE],
  async measure(_setup, { seasons: [earlierSeason, todaySeason] }: Variant, { scale, signal }) {
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
    return { trials };
  },
  describe: ({ trials }) => `${trials.length} ranges`,
  figures: (samples) =>
    [...ALIKE, ...UNLIKE].flatMap(({ name, isPromised = false }) =>
      seasonFigures(name, samples.of(name).trials.flat(), isPromised),
    ),
});

/** All of them, in an order by chance. */
function drawn<T>(values: readonly T[], random: () => number): readonly T[] {
  return values
    .map((value) => ({ value, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
