import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { expect } from 'vitest';
import { closeOnce } from '../../testing/close-once.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { recount } from '../../testing/database/oracle.ts';
import { openScreen, type Screen } from '../../testing/browser/screen.ts';
import { duration, FAULT_LIMITS } from '../../testing/durations.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { readRecipe } from '../../testing/gates/recipes.ts';
import { admitByPassword } from '../../testing/gates/vendor.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const TICKETS = 100;
export const STALE_WITHIN_MS = duration(5_000, 1_250);
/** A counter and an edge are processes of their own, with the durations of the field; and the edge asks the counter. */
export const STALE_AT_EDGE_MS = 5_500;

/** Makes the tickets of a ticketing system, and a role that may do no more than copy them. */
export function publish(vendor: postgres.Sql, reader: string): Promise<unknown> {
  return vendor.unsafe(`
    create table public.ingressos (codigo text primary key, status text, portao text);
    insert into public.ingressos select 'I' || n, 'vendido', '4' from generate_series(0, ${TICKETS - 1}) n;
    create publication ingressos_para_triagem for table public.ingressos;
    create role ${reader} login replication password '${reader}';
    grant select on public.ingressos to ${reader}`);
}

/** A board of which a subscription brings the tickets: the process itself, and a counter with an edge. */
export async function openSubscribedSite(settings: Readonly<Record<string, string>> = {}) {
  const source = await startTestCluster({ settings });
  const theirs = source.database;
  await admitByPassword(theirs.admin);
  const ours = await startTestCluster({
    settings: { wal_receiver_timeout: '2s', wal_retrieve_retry_interval: '200ms' },
  });
  const { admin } = ours.database;
  const vendor = theirs.admin;
  const reader = `leitor_${randomBytes(4).toString('hex')}`;
  await publish(vendor, reader);
  closeOnce(() => vendor.unsafe(`drop owned by ${reader}; drop role ${reader}`));
  for (const name of ['copy-table', 'mapping', 'function', 'fill', 'always']) {
    await admin.unsafe(readRecipe(name));
  }
  const network = await startNetwork(theirs.adminUrl);
  // What it may: connect, and read the table.
  const sourceUrl = Object.assign(new URL(network.url), { username: reader, password: reader }).href;
  const { database } = ours;
  const subscribe = (port: number | string = network.port): Promise<unknown> =>
    admin.unsafe(`create subscription ingressos_para_triagem
      connection 'host=127.0.0.1 port=${port} dbname=${theirs.name} user=${reader} password=${reader}'
      publication ingressos_para_triagem`);
  const unsubscribe = async (): Promise<void> => {
    network.restore();
    await until(() => admin.unsafe('drop subscription if exists ingressos_para_triagem'));
    await admin`truncate public.ingressos`;
  };
  // Its slot would keep their database.
  closeOnce(unsubscribe);
  await subscribe();
  let entered = 0;
  const start = (env: Record<string, string>): Promise<TestServer> =>
    startTestServer(database, env, { limits: FAULT_LIMITS });
  return {
    ours: database,
    source,
    theirs,
    async startSource() {
      await source.start();
      await source.answersAgain();
      // Its start writes who may connect anew.
      await admitByPassword(theirs.admin);
    },
    start,
    admin,
    vendor,
    network,
    reader,
    sourceUrl,
    subscribe,
    unsubscribe,
    /** One more at the source. */
    async enter() {
      await vendor`update public.ingressos set status = 'lido' where codigo = ${`I${entered}`}`;
      entered += 1;
      return entered;
    },
  };
}

export type SubscribedSite = Awaited<ReturnType<typeof openSubscribedSite>>;

export async function expectExact(
  { vendor, admin }: SubscribedSite,
  ...screens: readonly Screen[]
): Promise<void> {
  const [{ count }] = await vendor<[{ count: number }]>`
    select count(*)::int as count from public.ingressos where status = 'lido'`;
  await until(async () => {
    expect((await recount(admin)).total).toBe(count);
    for (const screen of screens) expect([screen.live, screen.total]).toEqual([true, count]);
  }, 30_000);
}

/** With the way to the source, with the messages of the worker alone, and served by an edge. */
export async function openBoards({ start, ours, sourceUrl }: SubscribedSite) {
  const asking = await start({ SOURCE_DATABASE_URL: sourceUrl });
  const listening = await start({});
  const nats = await startNats();
  const counter = await startCounter(nats, ours.observerUrl, {
    env: { NODE_NAME: 'c1', SOURCE_DATABASE_URL: sourceUrl },
  });
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
  await untilFollowing(edge, 'c1');
  return {
    asking,
    listening,
    counter,
    atAsking: openScreen(asking.url),
    atListening: openScreen(listening.url),
    atEdge: openScreen(edge.url),
  };
}
