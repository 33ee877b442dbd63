import { signIn } from '../testing/page-client.ts';
import { percentile } from '../testing/statistics.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { liveRequest } from './contenders/contender.ts';
import { assertRight } from './latency/holder.ts';
import { openPlainClient } from './latency/plain-client.ts';
import { type Figure, figure, ratio } from './report/figure.ts';
import { startClients } from './support/clients.ts';
import { type BenchDatabase, startDatabase } from './support/database.ts';
import { delaysOf } from './support/delays.ts';
import { openGates } from './support/gates.ts';
import { startNats } from './support/nats.ts';
import { startLiveEdge, startLiveServer } from './support/server.ts';
import { openStadium, type StartLive } from './support/stadium.ts';
import { withStops } from './support/stops.ts';
import { sellAnew } from './support/tickets.ts';
import { startBoard } from './viewers/contender.ts';
import { measureContender } from './viewers/measure.ts';

const GATES = 8;
/** Programs that have just started are still being compiled. */
const WARM_UP = { perSecond: 100, durationMs: 2_000 };
const RATES = [15, 50, 200] as const;
const VIEWERS_PER_SECOND = 15;

interface Sample {
  /** In the order of RATES. */
  readonly p50Ms: readonly number[];
  readonly p99Ms: readonly number[];
  readonly framesPerCpuSecond: number;
}

const WAYS = ['all-in-one', 'relay'] as const;
type Way = (typeof WAYS)[number];

/** What the way over NATS adds: a counter, a NATS server and an edge in the place of one process. */
export const relay = defineBenchmark({
  name: 'relay',
  what: 'one process, and a counter and an edge with NATS between them: commit → client, frames of the edge',
  full: { rounds: 5, windowMs: 20_000, viewers: 2_000, windowS: 10 },
  quick: { rounds: 1, windowMs: 2_000, viewers: 200, windowS: 2 },

  setUp: async (run) => ({
    database: await startDatabase(run, { autovacuum: 'off' }),
    stadium: await openStadium(run),
    clients: startClients(run, run.scale.viewers),
    nats: await startNats(run),
  }),
  groups: () => [WAYS.map((name) => ({ name }))],
  async measure({ database, stadium, clients, nats }, { name }, { scale, round, ...run }): Promise<Sample> {
    const start: StartLive = name === 'relay' ? startLiveEdge(nats.url) : startLiveServer;
    // What it has started is stopped before the next is measured.
    const delays = await withStops((stops) =>
      measureDelays({ ...run, stops }, database, start, scale.windowMs, round),
    );
    const board = await startBoard(run, stadium, {}, start);
    const load = { perSecond: VIEWERS_PER_SECOND, windowS: scale.windowS, seed: round };
    const { rates } = await measureContender(
      board,
      clients,
      { viewers: scale.viewers, warmUp: { ...load, windowS: 1 }, loads: [load] },
      run.signal,
    );
    return { ...delays, framesPerCpuSecond: rates[0]?.framesPerCpuSecond ?? NaN };
  },
  describe: ({ p50Ms, p99Ms, framesPerCpuSecond }) =>
    [
      ...RATES.map((rate, n) => `${rate}/s p50 ${p50Ms[n]?.toFixed(2)}, p99 ${p99Ms[n]?.toFixed(2)} ms`),
      `${Math.round(framesPerCpuSecond)} frames/s per core`,
    ].join(' · '),
  figures(samples, { viewers }) {
    const at = (way: Way, key: 'p50Ms' | 'p99Ms', n: number): number[] =>
      samples.of(way)[key].map((values) => values[n] ?? NaN);
    const delays = RATES.flatMap((rate, n) =>
      (['p50Ms', 'p99Ms'] as const).flatMap((key): Figure[] => {
        const what = `commit → client, ${key === 'p50Ms' ? 'p50' : 'p99'}, at ${rate}/s`;
        const [alone, relayed] = [at('all-in-one', key, n), at('relay', key, n)];
        const added = relayed.map((ms, index) => ms - (alone[index] ?? NaN));
        return [
          figure(`${what}, all-in-one`, 'ms', alone),
          figure(`${what}, relay`, 'ms', relayed),
          figure(`${what}, added by the two hops`, 'ms', added, { atMost: key === 'p50Ms' ? 1 : 5 }),
        ];
      }),
    );
    const frames = (way: Way): readonly number[] => samples.of(way).framesPerCpuSecond;
    return [
      ...delays,
      ...WAYS.map((way) => figure(`frames, ${way}, ${viewers} viewers`, 'frames/s per core', frames(way))),
      ratio('frames, edge ÷ all-in-one', frames('relay'), frames('all-in-one'), { atLeast: 0.95 }),
    ];
  },
});

/** One commit after another at each rate, and one client that has each. */
async function measureDelays(
  scope: Scope,
  database: BenchDatabase,
  start: StartLive,
  windowMs: number,
  round: number,
): Promise<Pick<Sample, 'p50Ms' | 'p99Ms'>> {
  const admissions = (WARM_UP.perSecond * WARM_UP.durationMs) / 1_000;
  const needed = RATES.reduce((sum, rate) => sum + (rate * windowMs) / 1_000, admissions);
  await sellAnew(database.admin, { to: needed, entered: 'none' });
  const { url, usage } = await start(scope, database.observerUrl);
  const port = Number(new URL(url).port);
  const client = await openPlainClient(scope, { usage, port, request: liveRequest(await signIn(url)) });
  const letIn = await openGates(scope, database.gatesUrl, GATES);
  let entered = 0;
  const admitAt = async (perSecond: number, durationMs: number): Promise<number[]> => {
    const seed = 1_000 * round + perSecond;
    const load = { firstTicket: entered + 1, lastTicket: needed, perSecond, durationMs, seed };
    const { acknowledgedAtMs } = await letIn(load);
    const before = entered;
    const acknowledged = acknowledgedAtMs.map((atMs, index) => ({ total: before + index + 1, atMs }));
    entered += acknowledged.length;
    return delaysOf(acknowledged, await client.arrivalsUpTo(entered));
  };
  await admitAt(WARM_UP.perSecond, WARM_UP.durationMs);
  const delays: number[][] = [];
  for (const rate of RATES) delays.push(await admitAt(rate, windowMs));
  await assertRight(client, database.admin);
  return {
    p50Ms: delays.map((ms) => percentile(ms, 0.5)),
    p99Ms: delays.map((ms) => percentile(ms, 0.99)),
  };
}
