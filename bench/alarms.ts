import { setImmediate as letOthersRun } from 'node:timers/promises';
import { FlowSeries } from '../desk/model/series/flow-series.ts';
import { MINUTE_MS } from '../desk/model/series/minute.ts';
import { playMatch } from '../desk/tool/play-match.ts';
import { runAlarms } from '../testing/desk/alarm-run.ts';
import { type GeneratedMatch, generateMatch } from '../gates/simulator/generated/generated-match.ts';
import type { MatchShape } from '../gates/simulator/generated/match-shapes.ts';
import { seededRandom } from '../gates/simulator/generated/random.ts';
import { percentile } from '../testing/statistics.ts';
import { type MatchSample, matchFigures } from './alarms/alarm-figures.ts';
import { runTrials } from './alarms/trials.ts';
import { defineBenchmark } from './benchmark.ts';
import { figure } from './report/figure.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 19, 0);
/** People come singly, and in groups of such a mean size, match by match. */
const GROUP_SIZES = [1, 2.2, 3] as const;
const STOPPED = 0;
const SLOWED = 0.3;
const MOST_EVALUATION_MS = 5;
/** The rule that suggests itself: a fifth fewer than in the minute before. */
const PLAIN_RULE_BELOW = 0.8;

interface Variant {
  readonly name: string;
  /** Without it, how long an evaluation takes is measured. */
  readonly season?: { readonly seed: number; readonly shape: MatchShape };
}

/** The constants of desk/model/alarms/limits.ts were chosen on seeds below 100, before any of these was looked at. */
const SEASONS: readonly Variant[] = [
  { name: 'seed 10000', season: { seed: 10_000, shape: 'default' } },
  { name: 'seed 20000', season: { seed: 20_000, shape: 'default' } },
  { name: 'seed 30000', season: { seed: 30_000, shape: 'default' } },
  { name: 'Castelão', season: { seed: 40_000, shape: 'castelao' } },
  { name: 'two waves', season: { seed: 50_000, shape: 'two-waves' } },
  { name: 'convoy', season: { seed: 60_000, shape: 'convoy' } },
];
const EVALUATION: Variant = { name: 'evaluation' };

interface Sample {
  readonly matches: readonly MatchSample[];
  readonly evaluationsMs: readonly number[];
}

/** What is raised where nothing is wrong, and how soon what is wrong is found. */
export const alarms = defineBenchmark({
  name: 'alarms',
  what: 'false alarms, and how soon stops are found: generated matches, beside a rule that suggests itself',
  full: { rounds: 1, matches: 60 },
  quick: { rounds: 1, matches: 3 },

  setUp: () => Promise.resolve(undefined),
  groups: () => [SEASONS, [EVALUATION]],
  async measure(_setup, { season }: Variant, { scale, signal }): Promise<Sample> {
    if (!season) return { matches: [], evaluationsMs: measureEvaluations() };
    const matches: MatchSample[] = [];
    for (let n = 0; n < scale.matches; n += 1) {
      await letOthersRun(undefined, { signal });
      const options = {
        ...season,
        seed: season.seed + n,
        groupSize: GROUP_SIZES[n % GROUP_SIZES.length] ?? 1,
      };
      const calm = generateMatch(options);
      const random = seededRandom(options.seed);
      const trial = { ...options, kickOffMs: KICK_OFF_MS, random };
      const log = runAlarms(calm, { kickOffMs: KICK_OFF_MS });
      matches.push({
        // Nobody acknowledges here: one that comes back is the same alarm, and calls again.
        falseAlarms: log.filter(({ kind }) => kind === 'alarm' || kind === 'alarm-again').length,
        plainAlarms: countPlainAlarms(calm, KICK_OFF_MS),
        trials: [STOPPED, SLOWED].flatMap((share) => runTrials(calm, { ...trial, share })),
      });
    }
    return { matches, evaluationsMs: [] };
  },
  describe: ({ matches, evaluationsMs }) =>
    evaluationsMs.length > 0
      ? `${percentile(evaluationsMs, 0.5).toFixed(3)} ms an evaluation`
      : `${matches.reduce((sum, { falseAlarms }) => sum + falseAlarms, 0)} false alarms in ${matches.length} matches`,
  figures(samples) {
    const ms = samples.of(EVALUATION.name).evaluationsMs.flat();
    return [
      ...SEASONS.flatMap(({ name }) => matchFigures(name, samples.of(name).matches.flat())),
      figure(
        'an evaluation, 61 sectors, all stopped from T−60 on, p99 of the processor',
        'ms',
        [percentile(ms, 0.99)],
        {
          atMost: MOST_EVALUATION_MS,
        },
      ),
      figure('an evaluation, 61 sectors, median of the processor', 'ms', [percentile(ms, 0.5)]),
    ];
  },
});

/** Of a match of sixty sectors and the others, in which nobody enters from an hour before kick-off on. */
function measureEvaluations(): readonly number[] {
  const codes = Array.from({ length: 60 }, (_, place) => `${place + 1}`);
  const evaluationsMs: number[] = [];
  const match = generateMatch({
    seed: 1,
    shape: 'two-waves',
    sectors: codes.map((code) => ({ code, valid: 1_000 })),
    incidents: codes.map((sector) => ({ kind: 'slow', sector, minute: -60, minutes: 70, share: 0 })),
  });
  runAlarms(match, {
    kickOffMs: KICK_OFF_MS,
    onEvaluation: (_evaluation, tookMs) => evaluationsMs.push(tookMs),
  });
  return evaluationsMs;
}

/** How often the rule that suggests itself would raise an alarm in a match, between the opening of the gates and kick-off, in sectors with any flow. */
function countPlainAlarms(match: GeneratedMatch, kickOffMs: number): number {
  const series = new FlowSeries({ sectorCount: match.sectors.length + 1 });
  playMatch(match, series, { kickOffMs, untilMinute: 0 });
  let raised = 0;
  for (let sector = 0; sector < match.sectors.length; sector += 1) {
    let wasBelow = false;
    for (let ms = kickOffMs + match.gatesOpenMs; ms + MINUTE_MS < kickOffMs; ms += MINUTE_MS) {
      const [before, last] = [series.flow(ms, sector) ?? 0, series.flow(ms + MINUTE_MS, sector) ?? 0];
      const isBelow = last < PLAIN_RULE_BELOW * before;
      if (isBelow && !wasBelow) raised += 1;
      wasBelow = isBelow;
    }
  }
  return raised;
}
