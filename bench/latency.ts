import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { type Contender, CONTENDERS, startContender } from './contenders/contender.ts';
import { figuresOf, type RateSample } from './latency/figures.ts';
import { assertRight, type Holder } from './latency/holder.ts';
import { openPlainClient } from './latency/plain-client.ts';
import { openScreen } from './latency/screen.ts';
import { startBrowser } from './support/chromium.ts';
import { startDatabase } from './support/database.ts';
import { delaysOf } from './support/delays.ts';
import { openGates } from './support/gates.ts';
import { RATES } from './support/rates.ts';
import { sellAnew, sellTickets } from './support/tickets.ts';

const GATES = 8;
/** Programs that have just started are still being compiled; a board has been up for hours. */
const WARM_UP = { perSecond: 100, durationMs: 2_000 };
/** As many as the simulated event sells: who counts them again counts so many. Half of them are for the gates. */
const TICKETS = 43_680;
const OUTSIDE = TICKETS / 2;
const INSIDE = OUTSIDE / 2;

/** `nobody`: the gates alone. `screen`: the board, and Chromium in place of the plain client. */
const VARIANTS = [...CONTENDERS, 'nobody', 'screen'] as const;

/** From the gate's "it is in" to whoever is to know, and what that costs. */
export const latency = defineBenchmark({
  name: 'latency',
  what: 'commit acknowledged → client or screen has it, admissions at random: the board, the floor, and what else one would build',
  full: { rounds: 5, longestMs: 10_000 },
  quick: { rounds: 1, longestMs: 2_000 },

  // Autovacuum would come to the help, or in the way, of one of them by chance.
  setUp: async (run) => ({
    database: await startDatabase(run, { autovacuum: 'off' }),
    browser: await startBrowser(run),
  }),
  groups: () => [VARIANTS.map((name) => ({ name }))],
  async measure({ database, browser }, { name }, { round, ...run }) {
    const { admin } = database;
    await sellAnew(admin, { to: OUTSIDE, entered: 'none' });
    await sellTickets(admin, { from: OUTSIDE + 1, to: TICKETS, entered: 'half' });
    await admin`checkpoint`;
    const contender = name === 'screen' ? 'board' : name;
    const server = contender === 'nobody' ? undefined : await startContender(run, database, contender);
    const openHolder = (of: Contender): Promise<Holder> =>
      name === 'screen' ? openScreen(run, browser, of) : openPlainClient(run, of);
    const holder = server && (await openHolder(server));
    const letIn = await openGates(run, database.gatesUrl, GATES);

    let entered = 0;
    const admitAt = async (perSecond: number, durationMs: number) => {
      const seed = 1_000 * round + perSecond;
      const load = { firstTicket: entered + 1, lastTicket: OUTSIDE, perSecond, durationMs, seed };
      const { acknowledgedAtMs, latenciesMs, elapsedMs } = await letIn(load);
      // The n-th to be acknowledged is counted for sure by a total that is n more than before.
      const before = INSIDE + entered;
      const admissions = acknowledgedAtMs.map((atMs, index) => ({ total: before + index + 1, atMs }));
      entered += admissions.length;
      const arrivals = await holder?.arrivalsUpTo(INSIDE + entered);
      return { latenciesMs, elapsedMs, delaysMs: arrivals ? delaysOf(admissions, arrivals) : [NaN] };
    };
    const readMeters = async () => ({
      bytes: (await holder?.bytes()) ?? NaN,
      serverMs: server?.usage.cpuMs() ?? NaN,
      databaseMs: database.cpuMs(),
    });
    await admitAt(WARM_UP.perSecond, WARM_UP.durationMs);
    const rates: RateSample[] = [];
    for (const { perSecond, share } of RATES) {
      const aheadMs = (await holder?.clockAheadMs()) ?? 0;
      const before = await readMeters();
      const { latenciesMs, elapsedMs, delaysMs } = await admitAt(perSecond, run.scale.longestMs * share);
      const after = await readMeters();
      const count = latenciesMs.length;
      rates.push({
        p50Ms: percentile(delaysMs, 0.5) - aheadMs,
        p99Ms: percentile(delaysMs, 0.99) - aheadMs,
        bytes: (after.bytes - before.bytes) / count,
        bytesPerSecond: (1_000 * (after.bytes - before.bytes)) / elapsedMs,
        serverMs: (after.serverMs - before.serverMs) / count,
        databaseMs: (after.databaseMs - before.databaseMs) / count,
        commitP50Ms: percentile(latenciesMs, 0.5),
        commitP99Ms: percentile(latenciesMs, 0.99),
        memoryMb: server?.usage.memoryMb() ?? NaN,
      });
    }
    if (holder) await assertRight(holder, admin);
    return { rates };
  },
  describe: ({ rates }) =>
    rates
      .map(({ p50Ms, p99Ms, commitP50Ms }, index) => {
        const delays = `p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}, commit ${commitP50Ms.toFixed(2)} ms`;
        return `${RATES[index]?.perSecond}/s ${delays}`;
      })
      .join(' · '),
  figures: (samples) => figuresOf(VARIANTS, (name) => samples.of(name).rates),
});
