import { signIn } from '../../testing/page-client.ts';
import { percentile } from '../../testing/statistics.ts';
import type { Scope } from '../benchmark.ts';
import { liveRequest } from '../contenders/contender.ts';
import { assertRight } from '../latency/holder.ts';
import { openPlainClient } from '../latency/plain-client.ts';
import type { BenchDatabase } from '../support/database.ts';
import { delaysOf } from '../support/delays.ts';
import { openGates } from '../support/gates.ts';
import { startLiveServer } from '../support/server.ts';
import { withStops } from '../support/stops.ts';
import { sellAnew } from '../support/tickets.ts';
import { settingsOf, type Variant } from './variants.ts';

const GATES = 8;

interface Admissions {
  readonly perSecond: number;
  /** A server some seconds old still compiles what it does. */
  readonly warmUpMs: number;
  readonly windowMs: number;
}

interface AdmitSample {
  /** From the commit's acknowledgement to a plain client. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per admission. */
  readonly serverMs: number;
}

/**
 * Both servers watch the same admissions at the same time: whatever the machine does meanwhile, it does to both.
 */
export function admitBeside(
  { signal }: Scope,
  database: BenchDatabase,
  order: readonly Variant[],
  { perSecond, warmUpMs, windowMs }: Admissions,
  seed: number,
): Promise<(variant: Variant) => AdmitSample> {
  return withStops(async (stops) => {
    const scope = { signal, stops };
    const before = (perSecond * warmUpMs) / 1_000;
    const outside = before + (perSecond * windowMs) / 1_000;
    await sellAnew(database.admin, { to: outside, entered: 'none' });
    await database.admin`checkpoint`;
    const letIn = await openGates(scope, database.gatesUrl, GATES);
    const servers = new Map<Variant, Awaited<ReturnType<typeof openBoard>>>();
    for (const variant of order) servers.set(variant, await openBoard(scope, database, variant));

    await letIn({ firstTicket: 1, lastTicket: before, perSecond, durationMs: warmUpMs });
    for (const { client } of servers.values()) await client.arrivalsUpTo(before);
    const cpuBeforeMs = new Map([...servers].map(([variant, { usage }]) => [variant, usage.cpuMs()]));
    const window = { firstTicket: before + 1, lastTicket: outside, perSecond, durationMs: windowMs, seed };
    const { acknowledgedAtMs } = await letIn(window);
    const admissions = acknowledgedAtMs.map((atMs, index) => ({ total: before + index + 1, atMs }));
    const figures = new Map<Variant, AdmitSample>();
    for (const [variant, { client, usage }] of servers) {
      const delaysMs = delaysOf(admissions, await client.arrivalsUpTo(before + admissions.length));
      figures.set(variant, {
        p50Ms: percentile(delaysMs, 0.5),
        p99Ms: percentile(delaysMs, 0.99),
        serverMs: (usage.cpuMs() - (cpuBeforeMs.get(variant) ?? NaN)) / admissions.length,
      });
      await assertRight(client, database.admin);
    }
    return (variant) => figures.get(variant) ?? { p50Ms: NaN, p99Ms: NaN, serverMs: NaN };
  });
}

async function openBoard(scope: Scope, database: BenchDatabase, variant: Variant) {
  const env = settingsOf(variant, database.recordUrl);
  const { url, usage } = await startLiveServer(scope, database.observerUrl, { env });
  const request = liveRequest(await signIn(url));
  const client = await openPlainClient(scope, { usage, port: Number(new URL(url).port), request });
  return { client, usage };
}
