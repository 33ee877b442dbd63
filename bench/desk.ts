import { median } from '../testing/statistics.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { openGround } from './bulk/enter-all.ts';
import { settingsOf, type Variant, VARIANTS } from './desk/variants.ts';
import { type Figure, ratio } from './report/figure.ts';
import { type AdmitSample, admitBeside } from './support/admit-beside.ts';
import { startClients } from './support/clients.ts';
import { type BenchDatabase, startDatabase } from './support/database.ts';
import { startLiveServer } from './support/server.ts';
import { openStadium } from './support/stadium.ts';
import { withStops } from './support/stops.ts';
import { startBoard } from './viewers/contender.ts';
import { measureContender } from './viewers/measure.ts';

/** What keeping the flow costs the wall. */
export const desk = defineBenchmark({
  name: 'desk',
  what: 'the wall without and with a desk and its record: admissions at random, many viewers, one large transaction',
  full: {
    rounds: 10,
    admissions: { perSecond: 200, warmUpMs: 20_000, windowMs: 20_000 },
    // Warmed up twice: the first evaluation of a desk, ten seconds on, compiles code, which is the cost of a start.
    // Evaluated each ten seconds: a window of as many holds one, or two.
    viewers: { open: 2_000, warmUpS: 8, windowS: 30 },
    // `warmUps`: a server some seconds old still compiles what it does.
    transactions: { tickets: 300_000, warmUps: 1, measured: 5 },
  },
  quick: {
    rounds: 1,
    admissions: { perSecond: 200, warmUpMs: 1_000, windowMs: 2_000 },
    viewers: { open: 200, warmUpS: 1, windowS: 2 },
    transactions: { tickets: 50_000, warmUps: 1, measured: 1 },
  },

  setUp: async (run) => ({
    database: await startDatabase(run, { autovacuum: 'off' }),
    stadium: await openStadium(run),
    clients: startClients(run, run.scale.viewers.open),
  }),
  groups: () => [[{ name: 'without and with a desk' }]],
  async measure({ database, stadium, clients }, _both, { scale, round, ...run }) {
    const order = round % 2 === 0 ? VARIANTS : VARIANTS.toReversed();
    const { perSecond, warmUpMs, windowMs } = scale.admissions;
    const besides = await admitBeside(
      run,
      database,
      order,
      (variant, scope) =>
        startLiveServer(scope, database.observerUrl, { env: settingsOf(variant, database.recordUrl) }),
      {
        warmUp: { perSecond, durationMs: warmUpMs },
        loads: [{ perSecond, durationMs: windowMs }],
        seed: round,
      },
    );
    /** One after the other. */
    const each = async <T>(measure: (scope: Scope, variant: Variant) => Promise<T>) => {
      const measured = new Map<Variant, T>();
      for (const variant of order) {
        measured.set(variant, await withStops((stops) => measure({ signal: run.signal, stops }, variant)));
      }
      return (variant: Variant): T => measured.get(variant) as T;
    };
    const viewers = await each(async (scope, variant) => {
      const board = await startBoard(scope, stadium, settingsOf(variant, stadium.recordUrl));
      const { open, warmUpS, windowS } = scale.viewers;
      const load = { perSecond: 15, windowS, seed: round };
      const { rates } = await measureContender(
        board,
        clients,
        { viewers: open, warmUp: { ...load, windowS: warmUpS }, loads: [load] },
        run.signal,
      );
      return rates[0]?.framesPerCpuSecond ?? NaN;
    });
    const bulk = await each((scope, variant) =>
      enterOverAndOver(scope, database, scale.transactions, settingsOf(variant, database.recordUrl)),
    );
    const both = <T>(of: (variant: Variant) => T) => ({ alone: of('alone'), desk: of('desk') });
    const beside = (key: keyof AdmitSample) => both((variant) => besides(variant)[0]?.[key] ?? NaN);
    return {
      p50Ms: beside('p50Ms'),
      p99Ms: beside('p99Ms'),
      serverMs: beside('serverMs'),
      framesPerCpuSecond: both(viewers),
      changesPerSecond: both((variant) => bulk(variant).changesPerSecond),
      bulkCpuMs: both((variant) => bulk(variant).serverCpuMs),
    };
  },
  describe: ({ p50Ms, serverMs, framesPerCpuSecond, changesPerSecond }) =>
    `without and with: p50 ${pair(p50Ms, 2)} ms · ${pair(serverMs, 3)} ms of the server per admission · ` +
    `${pair(framesPerCpuSecond, 0)} frames/s per core · ${pair(changesPerSecond, 0)} changes/s`,
  figures({ all }, { admissions: { perSecond }, viewers: { open } }) {
    const beside = (what: string, key: keyof typeof all, target?: Figure['target']): Figure =>
      ratio(
        `${what}, with a desk ÷ without`,
        all[key].map((both) => both.desk),
        all[key].map((both) => both.alone),
        target,
      );
    return [
      beside(`commit → client, p50, at ${perSecond}/s`, 'p50Ms', { atMost: 1.03 }),
      beside(`commit → client, p99, at ${perSecond}/s`, 'p99Ms'),
      beside(`processor time of the server per admission, at ${perSecond}/s`, 'serverMs', { atMost: 1.03 }),
      beside(`frames per processor second, ${open} viewers`, 'framesPerCpuSecond', { atLeast: 0.97 }),
      beside('changes per second of one transaction', 'changesPerSecond', { atLeast: 0.97 }),
      beside('processor time of the server for one transaction', 'bulkCpuMs'),
    ];
  },
});

/** All tickets enter by one transaction, again and again; the medians. */
async function enterOverAndOver(
  run: Scope,
  database: BenchDatabase,
  { tickets, warmUps, measured }: Readonly<Record<'tickets' | 'warmUps' | 'measured', number>>,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly changesPerSecond: number; readonly serverCpuMs: number }> {
  const ground = await openGround(run, database, tickets, env);
  const samples: Awaited<ReturnType<typeof ground.enterAll>>[] = [];
  for (let done = 0; done < warmUps + measured; done += 1) {
    if (done > 0) await ground.empty();
    samples.push(await ground.enterAll());
  }
  const counted = samples.slice(warmUps);
  return {
    changesPerSecond: median(counted.map(({ changesPerSecond }) => changesPerSecond)),
    serverCpuMs: median(counted.map(({ serverCpuMs }) => serverCpuMs)),
  };
}

function pair({ alone, desk: beside }: { alone: number; desk: number }, digits: number): string {
  return `${alone.toFixed(digits)} and ${beside.toFixed(digits)}`;
}
