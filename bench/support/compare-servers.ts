import { type Benchmark, defineBenchmark, type Scope } from '../benchmark.ts';
import { type Figure, figure, ratio, type Target } from '../report/figure.ts';
import { startBoard } from '../viewers/contender.ts';
import { measureContender } from '../viewers/measure.ts';
import { type AdmitSample, admitBeside } from './admit-beside.ts';
import { startClients } from './clients.ts';
import { startDatabase } from './database.ts';
import { openStadium, type StartLive } from './stadium.ts';
import { withStops } from './stops.ts';

/** Two ways to serve the same screens. */
interface Comparison {
  readonly name: string;
  readonly what: string;
  /** What there was, and what is compared with it. */
  readonly servers: readonly [string, string];
  /** How each is started, in the order of `servers`; asked once. */
  readonly prepare: (run: Scope) => Promise<readonly [StartLive, StartLive]>;
  /** They watch admissions one after the other: beside each other, they would wait for the same processors. */
  readonly areApart?: boolean;
  /** How the second's delay less the first's is called. */
  readonly difference: string;
  readonly targets: {
    readonly p50Ms?: Target;
    readonly p99Ms?: Target;
    readonly serverMs?: Target;
    readonly frames?: Target;
  };
}

const RATES = [15, 50, 200] as const;
const WARM_UP = { perSecond: 100, durationMs: 5_000 };
const VIEWERS_PER_SECOND = 15;

/**
 * Both watch the same admissions at the same time, a plain client each: rounds that alternate differ by what else the
 * machine does, by more than what is to be told. Frames to many viewers take a whole processor: they are alternated.
 */
export function compareServers(comparison: Comparison): Benchmark {
  const { name, what, servers, prepare, areApart = false, difference, targets } = comparison;
  const [first, second] = servers;
  return defineBenchmark({
    name,
    what,
    full: { rounds: 5, windowMs: 20_000, viewers: 2_000, windowS: 10 },
    quick: { rounds: 1, windowMs: 2_000, viewers: 200, windowS: 2 },

    async setUp(run) {
      const [startFirst, startSecond] = await prepare(run);
      return {
        start: (server: string): StartLive => (server === first ? startFirst : startSecond),
        database: await startDatabase(run, { autovacuum: 'off' }),
        stadium: await openStadium(run),
        clients: startClients(run, run.scale.viewers),
      };
    },
    groups: () => [[{ name: `${first} and ${second}` }]],
    async measure({ start, database, stadium, clients }, _both, { scale, round, signal, stops }) {
      const order = round % 2 === 0 ? servers : servers.toReversed();
      const admissions = {
        warmUp: WARM_UP,
        loads: RATES.map((perSecond) => ({ perSecond, durationMs: scale.windowMs })),
        seed: round,
      };
      const delays = new Map<string, readonly AdmitSample[]>();
      for (const together of areApart ? order.map((server) => [server]) : [order]) {
        const besides = await admitBeside(
          { signal, stops },
          database,
          together,
          (server, scope) => start(server)(scope, database.observerUrl),
          admissions,
        );
        for (const server of together) delays.set(server, besides(server));
      }
      const frames = new Map<string, number>();
      for (const server of order) {
        const measured = await withStops(async (own) => {
          const board = await startBoard({ signal, stops: own }, stadium, {}, start(server));
          const load = { perSecond: VIEWERS_PER_SECOND, windowS: scale.windowS, seed: round };
          const plan = { viewers: scale.viewers, warmUp: { ...load, windowS: 1 }, loads: [load] };
          return measureContender(board, clients, plan, signal);
        });
        frames.set(server, measured.rates[0]?.framesPerCpuSecond ?? NaN);
      }
      return {
        delays: servers.map((server) => delays.get(server) ?? []),
        frames: servers.map((server) => frames.get(server) ?? NaN),
      };
    },
    describe: ({ delays, frames }) =>
      servers
        .map((server, n) => {
          const each = RATES.map((rate, at) => {
            const { p50Ms = NaN, p99Ms = NaN } = delays[n]?.[at] ?? {};
            return `${rate}/s p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)} ms`;
          });
          return `${server}: ${each.join(' · ')} · ${Math.round(frames[n] ?? NaN)} frames/s per core`;
        })
        .join(' | '),
    figures({ all }, { viewers }) {
      const at = (n: number, rate: number, key: keyof AdmitSample): number[] =>
        all.delays.map((both) => both[n]?.[rate]?.[key] ?? NaN);
      const both = (says: string, unit: string, of: (n: number) => readonly number[]): Figure[] =>
        servers.map((server, n) => figure(`${says}, ${server}`, unit, of(n)));
      const delays = RATES.flatMap((rate, n) =>
        (['p50Ms', 'p99Ms'] as const).flatMap((key): Figure[] => {
          const says = `commit → client, ${key === 'p50Ms' ? 'p50' : 'p99'}, at ${rate}/s`;
          const theirs = at(0, n, key);
          const more = at(1, n, key).map((ms, round) => ms - (theirs[round] ?? NaN));
          const added = figure(`${says}, ${difference}`, 'ms', more, targets[key]);
          return both(says, 'ms', (server) => at(server, n, key)).concat(added);
        }),
      );
      const cpu = RATES.map((rate, n) =>
        ratio(
          `processor time per admission, at ${rate}/s, ${second} ÷ ${first}`,
          at(1, n, 'serverMs'),
          at(0, n, 'serverMs'),
          targets.serverMs,
        ),
      );
      const frames = (n: number): number[] => all.frames.map((of) => of[n] ?? NaN);
      return [
        ...delays,
        ...cpu,
        ...both(`frames, ${viewers} viewers`, 'frames/s per core', frames),
        ratio(`frames, ${second} ÷ ${first}`, frames(1), frames(0), targets.frames),
      ];
    },
  });
}
