import { signIn } from '../../testing/browser/page-client.ts';
import type { ProcessUsage } from '../../testing/server/process-usage.ts';
import { percentile } from '../../testing/statistics.ts';
import type { Scope } from '../benchmark.ts';
import { liveRequest } from '../contenders/contender.ts';
import { assertRight } from '../latency/holder.ts';
import { openPlainClient } from '../latency/plain-client.ts';
import type { BenchDatabase } from './database.ts';
import { delaysOf } from './delays.ts';
import { openGates } from './gates.ts';
import { withStops } from './stops.ts';
import { sellAnew } from './tickets.ts';

const GATES = 8;

/** Holders who come at random. */
interface Load {
  readonly perSecond: number;
  readonly durationMs: number;
}

interface Admissions {
  /** A server some seconds old still compiles what it does. */
  readonly warmUp: Load;
  readonly loads: readonly Load[];
  /** Of the gaps between the holders. */
  readonly seed: number;
}

/** Of one server, under one load. */
export interface AdmitSample {
  /** From the commit's acknowledgement to a plain client. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the server per admission. */
  readonly serverMs: number;
}

/** Starts the server of this name; resolves once its counts are live. */
type StartByName<Name> = (
  name: Name,
  scope: Scope,
) => Promise<{ readonly url: string; readonly usage: ProcessUsage }>;

/**
 * All servers watch the same admissions at the same time: whatever the machine does meanwhile, it does to each. They are
 * started in this order. Returns the samples of each, in the order of the loads.
 */
export function admitBeside<Name extends string>(
  { signal }: Scope,
  database: BenchDatabase,
  order: readonly Name[],
  start: StartByName<Name>,
  { warmUp, loads, seed }: Admissions,
): Promise<(name: Name) => readonly AdmitSample[]> {
  return withStops(async (stops) => {
    const scope = { signal, stops };
    const holdersOf = ({ perSecond, durationMs }: Load): number => (perSecond * durationMs) / 1_000;
    const outside = loads.reduce((sum, load) => sum + holdersOf(load), holdersOf(warmUp));
    await sellAnew(database.admin, { to: outside, entered: 'none' });
    await database.admin`checkpoint`;
    const letIn = await openGates(scope, database.gatesUrl, GATES);
    const boards = new Map<Name, Awaited<ReturnType<typeof openBoard>>>();
    for (const name of order) boards.set(name, await openBoard(scope, await start(name, scope)));

    let entered = 0;
    const admit = async (load: Load): Promise<Map<Name, AdmitSample>> => {
      const before = entered;
      const cpuBeforeMs = new Map([...boards].map(([name, { usage }]) => [name, usage.cpuMs()]));
      const tickets = { firstTicket: before + 1, lastTicket: outside };
      const { acknowledgedAtMs } = await letIn({ ...tickets, ...load, seed: 1_000 * seed + load.perSecond });
      const admissions = acknowledgedAtMs.map((atMs, index) => ({ total: before + index + 1, atMs }));
      entered += admissions.length;
      const samples = new Map<Name, AdmitSample>();
      for (const [name, { client, usage }] of boards) {
        const delaysMs = delaysOf(admissions, await client.arrivalsUpTo(entered));
        samples.set(name, {
          p50Ms: percentile(delaysMs, 0.5),
          p99Ms: percentile(delaysMs, 0.99),
          serverMs: (usage.cpuMs() - (cpuBeforeMs.get(name) ?? NaN)) / admissions.length,
        });
      }
      return samples;
    };
    await admit(warmUp);
    const measured: Map<Name, AdmitSample>[] = [];
    for (const load of loads) measured.push(await admit(load));
    for (const { client } of boards.values()) await assertRight(client, database.admin);
    const none = { p50Ms: NaN, p99Ms: NaN, serverMs: NaN };
    return (name) => measured.map((samples) => samples.get(name) ?? none);
  });
}

async function openBoard(scope: Scope, { url, usage }: Awaited<ReturnType<StartByName<string>>>) {
  const request = liveRequest(await signIn(url));
  const client = await openPlainClient(scope, { usage, port: Number(new URL(url).port), request });
  return { client, usage };
}
