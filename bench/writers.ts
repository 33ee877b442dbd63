import { percentile } from '../testing/statistics.ts';
import { defineBenchmark, type Scope } from './benchmark.ts';
import { startContender } from './contenders/contender.ts';
import { type Figure, figure, ratio, type Target } from './report/figure.ts';
import { formatNumber } from './report/table.ts';
import { startProgram } from './support/child-program.ts';
import { type BenchDatabase, openSql, startDatabase } from './support/database.ts';
import { type Admitted, openGates } from './support/gates.ts';
import { openFirstClient, startServer } from './support/server.ts';
import { withStops } from './support/stops.ts';
import { sellAnew } from './support/tickets.ts';

const PER_SECOND = 500;
/** A server that has just started is still compiling its code. */
const WARM_UP_MS = 2_000;
const MOST_LATENCY = { atMost: 1.1 };
/** "Clearly ahead": more than two runs of the same differ. */
const CLEARLY_AHEAD = { atLeast: 1.2 };

/** What follows the tickets while the gates write. The tables, their indexes and the log are the same for all. */
interface Attachment {
  readonly name: 'nothing' | 'board' | 'reader' | 'notify' | 'counter';
  readonly label: string;
  readonly attach: (database: BenchDatabase, scope: Scope) => Promise<void>;
}

const CHANNEL = 'admissions';

const ATTACHMENTS: readonly Attachment[] = [
  { name: 'nothing', label: 'without the board', attach: async () => {} },
  {
    name: 'board',
    label: 'with the board',
    async attach({ observerUrl }, scope) {
      await openFirstClient(scope, await startServer(scope, observerUrl));
    },
  },
  {
    name: 'reader',
    label: 'with a reader of the log that throws it away',
    async attach({ observerUrl }, scope) {
      await startProgram(scope, '../contenders/floor-process.js').call('listen', observerUrl);
    },
  },
  {
    name: 'notify',
    label: 'with triggers + NOTIFY',
    // The usual way: whoever writes a change announces it in the same transaction.
    async attach({ admin, observerUrl }, scope) {
      await admin.unsafe(`
        create function notify_admission() returns trigger language plpgsql as $$
        begin
          perform pg_notify('${CHANNEL}', new.setor || ' ' || new.id);
          return null;
        end $$;
        create trigger notify_admission after update on tickets for each row execute function notify_admission()`);
      scope.stops.push(() => admin.unsafe('drop function notify_admission cascade'));
      await openSql(scope, observerUrl).listen(CHANNEL, () => {});
    },
  },
  {
    name: 'counter',
    label: 'with counter rows and NOTIFY',
    attach: async (database, scope) => void (await startContender(scope, database, 'counter')),
  },
];

/** What the board costs the gates, beside what the usual way to tell of changes would cost them. */
export const writers = defineBenchmark({
  name: 'writers',
  what: "a gate's commits without the board, with it and one viewer, with a bare reader of the log, with triggers + NOTIFY, with counter rows",
  // Many rounds, and short: what else goes on at the machine then meets all alike.
  full: { rounds: 6, pacedMs: 5_000, fullMs: 3_000, tickets: 200_000 },
  quick: { rounds: 2, pacedMs: 2_000, fullMs: 1_000, tickets: 60_000 },

  // Autovacuum would come to the help, or in the way, of one of them by chance.
  setUp: (run) => startDatabase(run, { autovacuum: 'off' }),
  groups: () => [ATTACHMENTS],
  async measure(database, attachment, run) {
    const { tickets, pacedMs, fullMs } = run.scale;
    await sellAnew(database.admin, { to: tickets, entered: 'none' });
    await attachment.attach(database, run);
    let firstTicket = 1;
    // Gates of its own: the next load must not share the machine with these.
    const letIn = (gates: number, durationMs: number, perSecond?: number): Promise<Admitted> =>
      withStops(async (stops) => {
        const admitFor = await openGates({ ...run, stops }, database.gatesUrl, gates);
        const warmUp = { firstTicket, lastTicket: tickets, durationMs: WARM_UP_MS, perSecond };
        firstTicket += (await admitFor(warmUp)).latenciesMs.length;
        const admitted = await admitFor({ ...warmUp, firstTicket, durationMs });
        firstTicket += admitted.latenciesMs.length;
        return admitted;
      });
    const { latenciesMs } = await letIn(8, pacedMs, PER_SECOND);
    return {
      p50: percentile(latenciesMs, 0.5),
      p99: percentile(latenciesMs, 0.99),
      full8: commitsPerSecond(await letIn(8, fullMs)),
      full32: commitsPerSecond(await letIn(32, fullMs)),
    };
  },
  describe: ({ p50, p99, full8, full32 }) =>
    `at ${PER_SECOND}/s p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms · ` +
    `8 gates ${formatNumber(full8)}/s · 32 gates ${formatNumber(full32)}/s`,
  figures({ of }) {
    const [nothing, board, reader] = [of('nothing'), of('board'), of('reader')];
    const [notify, counter] = [of('notify'), of('counter')];
    type Key = keyof typeof board;
    const each = (what: string, unit: string, key: Key): Figure[] =>
      ATTACHMENTS.map(({ name, label }) => figure(`${what}, ${label}`, unit, of(name)[key]));
    const latency = (what: string, key: Key): Figure[] => [
      ...each(what, 'ms', key),
      ratio(`${what}, board beside none`, board[key], nothing[key], MOST_LATENCY),
      ratio(`${what}, reader beside none`, reader[key], nothing[key]),
      ratio(`${what}, board beside reader`, board[key], reader[key]),
      ratio(`${what}, NOTIFY beside none`, notify[key], nothing[key]),
      ratio(`${what}, counter rows beside none`, counter[key], nothing[key]),
    ];
    const throughput = (what: string, key: Key, besideCounter?: Target): Figure[] => [
      ...each(what, 'commits/s', key),
      ratio(`${what}, board beside NOTIFY`, board[key], notify[key], CLEARLY_AHEAD),
      ratio(`${what}, board beside counter rows`, board[key], counter[key], besideCounter),
      ratio(`${what}, board beside none`, board[key], nothing[key]),
      ratio(`${what}, board beside reader`, board[key], reader[key]),
      ratio(`${what}, NOTIFY beside none`, notify[key], nothing[key]),
    ];
    return [
      ...latency(`commit at ${PER_SECOND}/s, p50`, 'p50'),
      ...latency(`commit at ${PER_SECOND}/s, p99`, 'p99'),
      ...throughput('full load, 8 gates', 'full8', { atLeast: 1.9 }),
      ...throughput('full load, 32 gates', 'full32'),
    ];
  },
});

function commitsPerSecond({ latenciesMs, elapsedMs }: Admitted): number {
  return (latenciesMs.length * 1_000) / elapsedMs;
}
