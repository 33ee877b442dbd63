import { setTimeout as sleep } from 'node:timers/promises';
import { startNats, type NatsUser } from '../../testing/fleet/nats-server.ts';
import { type Network, startNetwork } from '../../testing/server/network.ts';
import { prepareNginxOfEdges } from '../../testing/server/nginx.ts';
import { usageOf } from '../../testing/server/process-usage.ts';
import { launchRole } from '../../testing/server/server.ts';
import { disturb, type Fault, OUTAGE_MS, SHORT_OUTAGE_MS } from './faults.ts';
import { type ServerRuns, startServerRuns } from './server-runs.ts';
import type { StartSystem } from './system.ts';

/** One process of a role, with its links to each NATS server. */
interface Member {
  readonly runs: ServerRuns;
  readonly links: readonly Network[];
}

type Stoppable = Pick<ServerRuns, 'pause' | 'resume'>;

const NATS_SERVERS = 3;

/** Two counters, three NATS servers, and two edges behind nginx, with the files that operators are given. */
export const startFleet: StartSystem = async ({ observerUrl }, env) => {
  const nats = await startNats({ servers: NATS_SERVERS, asDeployed: true });
  const start = async (
    role: 'counter' | 'edge',
    user: NatsUser,
    own: Readonly<Record<string, string>>,
  ): Promise<Member> => {
    const links = await Promise.all(nats.servers.map(({ url }) => startNetwork(url)));
    const settings = { ...nats.settingsOf(user), NATS_URL: links.map(({ url }) => url).join(), ...own };
    const runs = await startServerRuns(user, (port) =>
      launchRole(role, { env: settings, ...(port !== undefined && { port }) }),
    );
    return { runs, links };
  };
  const databaseLinks = [await startNetwork(observerUrl), await startNetwork(observerUrl)] as const;
  const counters = [
    await start('counter', 'counter-1', { DATABASE_URL: databaseLinks[0].url }),
    await start('counter', 'counter-2', { DATABASE_URL: databaseLinks[1].url }),
  ];
  const ofEdges = { ...env, TRUST_PROXY: '127.0.0.1' };
  const edges = [await start('edge', 'edge-1', ofEdges), await start('edge', 'edge-2', ofEdges)] as const;
  const portOf = ({ runs }: Member): number => Number(new URL(runs.url).port);
  const nginx = await prepareNginxOfEdges([portOf(edges[0]), portOf(edges[1])]);
  await nginx.start();
  const members = [...counters, ...edges];
  const servers = members.map(({ runs }) => runs);

  const anyCounter = (): ServerRuns => oneOf(counters).runs;
  const busyEdge = (): ServerRuns => busiest(edges).runs;
  const anyNats = (): (typeof nats.servers)[number] => oneOf(nats.servers);
  const killed = (name: string, choose: () => ServerRuns): Fault => ({
    name: `${name} killed (SIGKILL), started again after ${SHORT_OUTAGE_MS / 1_000} s`,
    weight: 3,
    isEnd: true,
    inject: (stopped) => choose().restart(stopped, SHORT_OUTAGE_MS),
  });
  const stoodStill = (name: string, choose: () => Stoppable, forMs: number): Fault => ({
    name: `${name} stopped (SIGSTOP) for ${forMs / 1_000} s`,
    weight: 3,
    async inject(stopped) {
      const chosen = choose();
      chosen.pause();
      await sleep(forMs, undefined, { signal: stopped }).finally(() => chosen.resume());
    },
  });
  return {
    url: nginx.url,
    certificate: nginx.certificate.pem,
    processes: [
      ...servers.map((server) => ({ name: server.name, pids: () => [server.pid] })),
      // Screens go from one edge to the other, and both to another server of NATS.
      { name: 'both edges', pids: () => edges.map(({ runs }) => runs.pid) },
      ...nats.servers.map((server, n) => ({ name: `NATS server ${n + 1}`, pids: () => [server.pid] })),
      { name: 'all NATS servers', pids: () => nats.servers.map(({ pid }) => pid) },
    ],
    faults: [
      killed('counter', anyCounter),
      killed('edge', busyEdge),
      {
        name: `NATS server killed (SIGKILL), started again after ${SHORT_OUTAGE_MS / 1_000} s`,
        weight: 3,
        isEnd: true,
        async inject(stopped) {
          const server = anyNats();
          await server.kill();
          await sleep(SHORT_OUTAGE_MS, undefined, { signal: stopped });
          await server.start();
        },
      },
      stoodStill('counter', anyCounter, SHORT_OUTAGE_MS),
      stoodStill('edge', busyEdge, OUTAGE_MS),
      stoodStill('NATS server', anyNats, SHORT_OUTAGE_MS),
      {
        name: 'nginx killed (SIGKILL), started again',
        weight: 2,
        async inject() {
          await nginx.kill();
          await nginx.start();
        },
      },
      {
        name: 'links of a counter or edge to NATS closed',
        weight: 4,
        inject: (stopped) => disturb(oneOf(members).links, 'cut', stopped),
      },
      {
        name: 'links of a counter or edge to NATS stalled, and forgotten',
        weight: 4,
        inject: (stopped) => disturb(oneOf(members).links, 'swallow', stopped),
      },
      {
        name: "a counter's link to PostgreSQL stalled, and forgotten",
        weight: 4,
        inject: (stopped) => disturb([oneOf(databaseLinks)], 'swallow', stopped),
      },
    ],
    failed: Promise.race(servers.map(({ failed }) => failed)),
  };
};

/** After a kill, all screens are at the other edge: that of most open files. */
function busiest(edges: readonly [Member, Member]): Member {
  const [one, other] = edges;
  const filesOf = ({ runs }: Member): number => usageOf(runs.pid).openFiles();
  return filesOf(one) >= filesOf(other) ? one : other;
}

function oneOf<T>(all: readonly T[]): T {
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error('there is none to choose from');
  return one;
}
