import { DESK_KEY } from '../desk/desk-app.ts';
import { startCounter, startEdge, untilFollowing } from './fleet.ts';
import type { TestHost } from './hosts.ts';
import { freePort } from '../server/free-port.ts';
import { type Nats, startNats } from './nats-server.ts';
import { type FlowSpeed, recordingBy } from '../desk/recorded-flow.ts';
import type { ServerProcess } from '../server/server.ts';

/** A process of a fleet, and the one that takes its place. */
export interface FleetMember {
  readonly name: string;
  readonly process: ServerProcess;
  readonly metricsUrl: string;
  /** Starts it again at the same address, once the one before has ended. Resolves once it answers. */
  start(): Promise<void>;
  /** SIGKILL, then started again at the same address. Resolves once it answers. */
  killAndStart(): Promise<void>;
}

/** Two counters that keep one record by a faster clock, of which one writes; two edges with desks; NATS. */
export interface RecordingFleet {
  readonly nats: Nats;
  readonly counters: readonly [FleetMember, FleetMember];
  readonly edges: readonly [FleetMember, FleetMember];
  /** Resolves once every counter is live, and every edge follows both. */
  untilWhole(): Promise<void>;
  pids(): number[];
}

/** Machines by what they are for, in the order of the processes. */
interface FleetHosts {
  readonly nats: readonly TestHost[];
  readonly counters: readonly TestHost[];
  readonly edges: readonly TestHost[];
}

export interface RecordingFleetOptions {
  readonly observerUrl: string;
  readonly recordUrl: string;
  readonly clock: FlowSpeed;
  /** Where each process runs; default: beside this one. */
  readonly hosts?: FleetHosts | undefined;
  /** Further settings of each counter. */
  readonly counterEnv?: Readonly<Record<string, string>>;
  /** Further settings of each edge. */
  readonly edgeEnv?: Readonly<Record<string, string>>;
}

/** Starts it with three NATS servers. Resolves once it is complete. */
export async function startRecordingFleet({
  observerUrl,
  recordUrl,
  clock,
  hosts,
  counterEnv = {},
  edgeEnv = {},
}: RecordingFleetOptions): Promise<RecordingFleet> {
  const nats = await startNats({ servers: 3, ...(hosts && { hosts: hosts.nats }) });
  const { script, env } = recordingBy(clock, recordUrl);
  const openCounter = (name: string, host?: TestHost): Promise<FleetMember> =>
    openMember(name, host, (where, own) =>
      startCounter(nats, observerUrl, { ...where, script, env: { ...own, ...env, ...counterEnv } }),
    );
  const openEdge = (name: string, host?: TestHost): Promise<FleetMember> =>
    openMember(name, host, (where, own) =>
      startEdge(nats, { ...where, env: { ...own, DESK_KEY, ...edgeEnv } }),
    );
  const [c1, c2] = hosts?.counters ?? [];
  const [e1, e2] = hosts?.edges ?? [];
  const counters = await Promise.all([openCounter('c1', c1), openCounter('c2', c2)]);
  const edges = await Promise.all([openEdge('e1', e1), openEdge('e2', e2)]);
  const fleet: RecordingFleet = {
    nats,
    counters,
    edges,
    async untilWhole() {
      for (const { process } of counters) await process.serves('/readyz');
      for (const { process } of edges) await untilFollowing(process, 'c1', 'c2');
    },
    pids: () => [
      ...[...counters, ...edges].map(({ process }) => process.pid),
      ...nats.servers.filter(({ runs }) => runs).map(({ pid }) => pid),
    ],
  };
  await fleet.untilWhole();
  return fleet;
}

async function openMember(
  name: string,
  host: TestHost | undefined,
  start: (
    where: { readonly port: number; readonly host?: TestHost },
    env: Readonly<Record<string, string>>,
  ) => Promise<ServerProcess>,
): Promise<FleetMember> {
  const [port, metricsPort] = host ? [3_000, 9_100] : [await freePort(), await freePort()];
  const where = { port, ...(host && { host }) };
  const env = { NODE_NAME: name, METRICS_PORT: String(metricsPort) };
  const member = {
    name,
    process: await start(where, env),
    metricsUrl: `http://${host?.address ?? '127.0.0.1'}:${metricsPort}/metrics`,
    async start() {
      member.process = await start(where, env);
    },
    async killAndStart() {
      await member.process.end('SIGKILL');
      await member.start();
    },
  };
  return member;
}
