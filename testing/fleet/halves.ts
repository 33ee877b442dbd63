import type { TestCluster } from '../database/cluster.ts';
import type { DatabaseUrls } from '../database/database.ts';
import { DESK_KEY } from '../desk/desk-app.ts';
import { makeTestFolder } from '../folder.ts';
import { startCounter, startEdge, untilFollowing } from './fleet.ts';
import { type NatsServer, startNats } from './nats-server.ts';
import { type Network, startNetwork } from '../server/network.ts';
import { freePort } from '../server/free-port.ts';
import type { ServerProcess } from '../server/server.ts';
import { startTestPair, type TestPair } from '../database/standby.ts';

/** What is on one side when a fleet is parted: a database host, a NATS server, a counter and an edge. */
interface Half {
  readonly name: 'a' | 'b';
  readonly cluster: TestCluster;
  readonly nats: NatsServer;
  readonly counter: ServerProcess;
  readonly edge: ServerProcess;
  /** Between this half's edge and the other half's NATS server, and between its counter and the other database host. */
  readonly toOther: { readonly nats: Network; readonly database: Network };
  /** SIGKILL, then started again at the same address, with what it had kept. Resolves once it answers. */
  restartEdge(): Promise<void>;
  restartCounter(): Promise<void>;
}

/** A fleet that can be parted in two. The primary is in the first half, its standby in the second. */
export interface Halves {
  readonly halves: readonly [Half, Half];
  readonly pair: TestPair;
  /** Silently cuts the halves off from each other, until `join`. */
  part(): void;
  join(): Promise<void>;
}

/** The counters keep one record. Resolves once both edges follow both counters. */
export async function startHalves(): Promise<Halves> {
  const nats = await startNats({ servers: 2, isPartable: true });
  const [natsOfA, natsOfB] = nats.servers as readonly [NatsServer, NatsServer];
  let replication: Network | undefined;
  const pair = await startTestPair({
    link: async (url) => (replication = await startNetwork(url)).url,
  });
  const a = await openHalf({
    name: 'a',
    own: pair.primary,
    other: pair.standby,
    nats: natsOfA,
    otherNats: natsOfB,
  });
  const b = await openHalf({
    name: 'b',
    own: pair.standby,
    other: pair.primary,
    nats: natsOfB,
    otherNats: natsOfA,
  });
  const halves = [a, b] as const;
  const networks = (): Network[] => [
    ...halves.flatMap(({ toOther }) => [toOther.nats, toOther.database]),
    ...(replication ? [replication] : []),
  ];
  for (const { edge } of halves) await untilFollowing(edge, 'a', 'b');
  return {
    halves,
    pair,
    part() {
      nats.part();
      for (const network of networks()) network.swallow();
    },
    async join() {
      for (const network of networks()) network.restore();
      await nats.join();
    },
  };
}

interface HalfOptions {
  readonly name: Half['name'];
  readonly own: TestCluster;
  readonly other: TestCluster;
  readonly nats: NatsServer;
  readonly otherNats: NatsServer;
}

async function openHalf({ name, own, other, nats, otherNats }: HalfOptions): Promise<Half> {
  const toOther = {
    nats: await startNetwork(otherNats.url),
    database: await startNetwork(other.database.adminUrl),
  };
  const urlOf = (role: keyof DatabaseUrls): string =>
    own.database[role].replace(own.host, `${own.host},127.0.0.1:${toOther.database.port}`);
  const [counterPort, edgePort, state] = [await freePort(), await freePort(), makeTestFolder()];
  const openCounter = (): Promise<ServerProcess> =>
    startCounter(nats, urlOf('observerUrl'), {
      port: counterPort,
      env: { NODE_NAME: name, RECORD_DATABASE_URL: urlOf('recordUrl') },
    });
  // It begins with either server.
  const openEdge = (): Promise<ServerProcess> =>
    startEdge(
      { url: `${nats.url},${toOther.nats.url}` },
      { port: edgePort, env: { NODE_NAME: `edge-${name}`, DESK_KEY, STATE_DIR: state } },
    );
  const half = {
    name,
    cluster: own,
    nats,
    toOther,
    counter: await openCounter(),
    edge: await openEdge(),
    async restartEdge() {
      await half.edge.end('SIGKILL');
      half.edge = await openEdge();
    },
    async restartCounter() {
      await half.counter.end('SIGKILL');
      half.counter = await openCounter();
    },
  };
  return half;
}
