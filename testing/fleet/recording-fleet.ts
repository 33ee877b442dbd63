import { DESK_KEY } from '../desk/desk-app.ts';
import { startCounter, startEdge, untilFollowing } from './fleet.ts';
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

export interface RecordingFleetOptions {
  readonly observerUrl: string;
  readonly recordUrl: string;
  readonly clock: FlowSpeed;
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
  counterEnv = {},
  edgeEnv = {},
}: RecordingFleetOptions): Promise<RecordingFleet> {
  const nats = await startNats({ servers: 3 });
  const { script, env } = recordingBy(clock, recordUrl);
  const openCounter = (name: string): Promise<FleetMember> =>
    openMember(name, (port, own) =>
      startCounter(nats, observerUrl, { port, script, env: { ...own, ...env, ...counterEnv } }),
    );
  const openEdge = (name: string): Promise<FleetMember> =>
    openMember(name, (port, own) => startEdge(nats, { port, env: { ...own, DESK_KEY, ...edgeEnv } }));
  const counters = await Promise.all([openCounter('c1'), openCounter('c2')]);
  const edges = await Promise.all([openEdge('e1'), openEdge('e2')]);
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
  start: (port: number, env: Readonly<Record<string, string>>) => Promise<ServerProcess>,
): Promise<FleetMember> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = { NODE_NAME: name, METRICS_PORT: String(metricsPort) };
  const member = {
    name,
    process: await start(port, env),
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    async start() {
      member.process = await start(port, env);
    },
    async killAndStart() {
      await member.process.end('SIGKILL');
      await member.start();
    },
  };
  return member;
}
