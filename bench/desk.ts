import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { enterAll } from './bulk/enter-all.ts';
import { liveRequest } from './contenders/contender.ts';
import { assertRight } from './latency/holder.ts';
import { openPlainClient } from './latency/plain-client.ts';
import { type Figure, ratio } from './report/figure.ts';
import { startClients } from './support/clients.ts';
import { startDatabase } from './support/database.ts';
import { delaysOf } from './support/delays.ts';
import { openGates } from './support/gates.ts';
import { startLiveServer } from './support/server.ts';
import { openStadium } from './support/stadium.ts';
import { sellAnew } from './support/tickets.ts';
import { signIn } from '../testing/page-client.ts';
import { startBoard } from './viewers/contender.ts';
import { measureContender } from './viewers/measure.ts';

const VARIANTS = ['the wall alone', 'with a desk'] as const;
const DESK_KEY = 'uma-chave-da-mesa-com-32-letras!';
const GATES = 8;
const WARM_UP = { perSecond: 100, durationMs: 2_000 };

/** What keeping the flow costs the wall. */
export const desk = defineBenchmark({
  name: 'desk',
  what: 'the wall without and with a desk and its record: admissions at random, many viewers, one large transaction',
  full: { rounds: 10, perSecond: 200, latencyMs: 10_000, viewers: 2_000, windowS: 5, tickets: 300_000 },
  quick: { rounds: 1, perSecond: 200, latencyMs: 2_000, viewers: 200, windowS: 2, tickets: 50_000 },

  setUp: async (run) => ({
    database: await startDatabase(run, { autovacuum: 'off' }),
    stadium: await openStadium(run),
    clients: startClients(run, run.scale.viewers),
  }),
  groups: () => [VARIANTS.map((name) => ({ name }))],
  async measure({ database, stadium, clients }, { name }, run) {
    const { scale, round } = run;
    const settings = (recordUrl: string): Record<string, string> =>
      name === 'with a desk' ? { DESK_KEY, RECORD_DATABASE_URL: recordUrl } : {};

    const before = 2 * WARM_UP.perSecond;
    const outside = before + (scale.perSecond * scale.latencyMs) / 1_000;
    await sellAnew(database.admin, { to: outside, entered: 'none' });
    await database.admin`checkpoint`;
    const server = await startLiveServer(run, database.observerUrl, { env: settings(database.recordUrl) });
    const request = liveRequest(await signIn(server.url));
    const { usage } = server;
    const client = await openPlainClient(run, { usage, port: Number(new URL(server.url).port), request });
    const letIn = await openGates(run, database.gatesUrl, GATES);
    await letIn({ firstTicket: 1, lastTicket: before, ...WARM_UP });
    await client.arrivalsUpTo(before);
    const [serverMs, databaseMs] = [usage.cpuMs(), database.cpuMs()];
    const { acknowledgedAtMs } = await letIn({
      firstTicket: before + 1,
      lastTicket: outside,
      perSecond: scale.perSecond,
      durationMs: scale.latencyMs,
      seed: round,
    });
    const admissions = acknowledgedAtMs.map((atMs, index) => ({ total: before + index + 1, atMs }));
    const delaysMs = delaysOf(admissions, await client.arrivalsUpTo(before + admissions.length));
    const latency = {
      p50Ms: percentile(delaysMs, 0.5),
      p99Ms: percentile(delaysMs, 0.99),
      serverMs: (usage.cpuMs() - serverMs) / admissions.length,
      databaseMs: (database.cpuMs() - databaseMs) / admissions.length,
    };
    await assertRight(client, database.admin);
    await server.stop();

    const board = await startBoard(run, stadium, settings(stadium.recordUrl));
    const load = { perSecond: 15, windowS: scale.windowS, seed: round };
    const { rates } = await measureContender(
      board,
      clients,
      { viewers: scale.viewers, warmUp: { ...load, windowS: 1 }, loads: [load] },
      run.signal,
    );
    const { framesPerCpuSecond = NaN, delayP99Ms = NaN } = rates[0] ?? {};

    const { changesPerSecond, serverCpuMs } = await enterAll(
      run,
      database,
      scale.tickets,
      settings(database.recordUrl),
    );
    return {
      ...latency,
      framesPerCpuSecond,
      delayP99Ms,
      changesPerSecond,
      bulkCpuMs: serverCpuMs,
    };
  },
  describe: ({ p50Ms, serverMs, framesPerCpuSecond, changesPerSecond }) =>
    `p50 ${p50Ms.toFixed(2)} ms · ${serverMs.toFixed(3)} ms of the server per admission · ` +
    `${Math.round(framesPerCpuSecond)} frames/s per core · ${Math.round(changesPerSecond)} changes/s`,
  figures(samples, { perSecond, viewers }) {
    const [alone, both] = VARIANTS.map((name) => samples.of(name));
    if (!alone || !both) throw new Error('unreachable: both variants were measured');
    const beside = (what: string, key: keyof typeof alone, target?: Figure['target']): Figure =>
      ratio(`${what}, with a desk ÷ alone`, both[key], alone[key], target);
    return [
      beside(`commit → client, p50, at ${perSecond}/s`, 'p50Ms', { atMost: 1.03 }),
      beside(`commit → client, p99, at ${perSecond}/s`, 'p99Ms'),
      beside(`processor time of the server per admission, at ${perSecond}/s`, 'serverMs', { atMost: 1.03 }),
      beside(`processor time of the database per admission, at ${perSecond}/s`, 'databaseMs'),
      beside(`frames per processor second, ${viewers} viewers`, 'framesPerCpuSecond', { atLeast: 0.97 }),
      beside(`commit → viewer, p99, ${viewers} viewers`, 'delayP99Ms'),
      beside('changes per second of one transaction', 'changesPerSecond', { atLeast: 0.97 }),
      beside('processor time of the server for one transaction', 'bulkCpuMs'),
    ];
  },
});
