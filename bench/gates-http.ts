import { type ProcessUsage, usageOf } from '../testing/server/process-usage.ts';
import { percentile } from '../testing/statistics.ts';
import { defineBenchmark } from './benchmark.ts';
import { figure } from './report/figure.ts';
import { formatNumber } from './report/table.ts';
import { startProgram } from './support/child-program.ts';
import { type BenchDatabase, startDatabase } from './support/database.ts';
import { openFirstClient, startServer } from './support/server.ts';
import { sellAnew } from './support/tickets.ts';
import { type PostReport, type PostRun, startListener } from './gates-http/listener.ts';

const LEAST_REQUESTS_PER_S = 2_000;
const LEAST_TICKETS_PER_S = 20_000;
const WARM_UP_MS = 1_000;
const RIGHT_WITHIN_MS = 30_000;

interface Variant {
  readonly name: 'single' | 'batch';
  readonly connections: number;
  readonly ticketsPerRequest: number;
}

const VARIANTS: readonly Variant[] = [
  { name: 'single', connections: 64, ticketsPerRequest: 1 },
  { name: 'batch', connections: 2, ticketsPerRequest: 5_000 },
];

/** Tickets that come in over HTTP, beside a board that counts them. */
export const gatesHttp = defineBenchmark({
  name: 'gates-http',
  what: 'tickets over HTTP beside a board: single ones over 64 connections, and 5,000 in a body over two',
  full: { rounds: 5, durationMs: 10_000, tickets: 400_000 },
  quick: { rounds: 1, durationMs: 4_000, tickets: 300_000 },

  setUp: (run) => startDatabase(run),
  groups: () => [VARIANTS],
  async measure(database, variant, run) {
    const { durationMs, tickets } = run.scale;
    await sellAnew(database.admin, { to: tickets, entered: 'none' });
    await database.admin`truncate ticket_times, kept_readings`;
    const server = await startServer(run, database.observerUrl);
    const { client } = await openFirstClient(run, server);
    const listener = await startListener(run, database.gatesUrl);
    const generator = startProgram(run, '../gates-http/post-process.js', listener.url, listener.key);
    let firstTicket = 1;
    const post = async (ms: number): Promise<PostReport> => {
      const load: PostRun = { ...variant, firstTicket, lastTicket: tickets, durationMs: ms };
      const report = await generator.call<PostReport>('post', load);
      firstTicket += report.tickets;
      return report;
    };
    await post(WARM_UP_MS);
    const cpuBeforeMs = listener.usage.cpuMs();
    const generatorCpuBeforeMs = generator.usage.cpuMs();
    const writers = await writersIn(database);
    const writersCpuBeforeMs = cpuMsOf(writers);
    const report = await post(durationMs);
    const cpuMs = listener.usage.cpuMs() - cpuBeforeMs;
    const generatorCpuMs = generator.usage.cpuMs() - generatorCpuBeforeMs;
    const writersCpuMs = cpuMsOf(writers) - writersCpuBeforeMs;
    const total = firstTicket - 1;
    const isRight = ({ counts, live }: typeof client): boolean => counts?.total === total && live;
    await client.reaches(`the total of ${total}, live,`, isRight, RIGHT_WITHIN_MS, run.signal);
    const requests = report.latenciesMs.length;
    return {
      requestsPerSecond: (requests * 1_000) / report.elapsedMs,
      ticketsPerSecond: (report.tickets * 1_000) / report.elapsedMs,
      p50: percentile(report.latenciesMs, 0.5),
      p99: percentile(report.latenciesMs, 0.99),
      cpuUsPerRequest: (cpuMs * 1_000) / requests,
      cpuUsPerTicket: (cpuMs * 1_000) / report.tickets,
      writersCpuUsPerTicket: (writersCpuMs * 1_000) / report.tickets,
      generatorCpuUsPerTicket: (generatorCpuMs * 1_000) / report.tickets,
    };
  },
  describe: ({ requestsPerSecond, ticketsPerSecond, p50, p99, cpuUsPerTicket, writersCpuUsPerTicket }) =>
    `${formatNumber(requestsPerSecond)} requests/s, ${formatNumber(ticketsPerSecond)} tickets/s, ` +
    `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${formatNumber(cpuUsPerTicket)} µs a ticket, PostgreSQL ${formatNumber(writersCpuUsPerTicket)} µs`,
  figures({ of }) {
    const [single, batch] = [of('single'), of('batch')];
    return [
      figure('single tickets', 'requests/s', single.requestsPerSecond, {
        atLeast: LEAST_REQUESTS_PER_S,
      }),
      figure('single tickets, request → answer, p50', 'ms', single.p50),
      figure('single tickets, request → answer, p99', 'ms', single.p99),
      figure('single tickets, processor time of the listener', 'µs/request', single.cpuUsPerRequest),
      figure('single tickets, of the load generator', 'µs/request', single.generatorCpuUsPerTicket),
      figure("single tickets, of PostgreSQL's sessions for it", 'µs/request', single.writersCpuUsPerTicket),
      figure('5,000 in a body', 'tickets/s', batch.ticketsPerSecond, {
        atLeast: LEAST_TICKETS_PER_S,
      }),
      figure('5,000 in a body, request → answer, p99', 'ms', batch.p99),
      figure('5,000 in a body, processor time of the listener', 'µs/ticket', batch.cpuUsPerTicket),
      figure("5,000 in a body, of PostgreSQL's sessions for it", 'µs/ticket', batch.writersCpuUsPerTicket),
    ];
  },
});

/** PostgreSQL's processes that work for the listener. */
async function writersIn({ admin }: BenchDatabase): Promise<ProcessUsage[]> {
  const rows = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'triagem gates'`;
  return rows.map(({ pid }) => usageOf(pid));
}

function cpuMsOf(processes: readonly ProcessUsage[]): number {
  return processes.reduce((sum, process) => sum + process.cpuMs(), 0);
}
