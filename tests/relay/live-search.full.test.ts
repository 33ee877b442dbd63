import { expect, test } from 'vitest';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { readyz, startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { type NatsServer, startNats } from '../../testing/fleet/nats-server.ts';
import { type Network, startNetwork } from '../../testing/server/network.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import type { ServerOptions, ServerProcess } from '../../testing/server/server.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';

const FOUND_WITHIN_MS = 5_000;

/** A NATS server with a counter of its own, and the counter's link to the database. */
interface Side {
  readonly server: NatsServer;
  readonly name: string;
  readonly link: Network;
  readonly start: (options?: ServerOptions) => Promise<ServerProcess>;
}

test('an edge changes to another NATS server for a live counter, whatever those behind its own answer, and keeps its connection while none is live', async () => {
  const [nats, database] = await Promise.all([
    startNats({ servers: 2, isPartable: true }),
    createTestDatabase({ inside: { a: '4' }, outside: { b: '4', c: '4' } }),
  ]);
  const sides: Side[] = [];
  for (const [n, server] of nats.servers.entries()) {
    const link = await startNetwork(database.observerUrl);
    const name = `c${n + 1}`;
    const start: Side['start'] = () => startCounter(server, link.url, { env: { NODE_NAME: name } });
    sides.push({ server, name, link, start });
  }
  const counters = new Map<Side, ServerProcess>();
  for (const side of sides) counters.set(side, await side.start());
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
  await untilFollowing(edge, 'c1', 'c2');
  const page = await openPageClient(edge.url);
  const connections = (): number => edge.logged.filter(({ msg }) => msg === 'connected to NATS').length;
  const isThere = async ({ server }: Side): Promise<boolean> =>
    (await server.clientNames()).includes('triagem edge e1');
  const enter = async (id: string, total: number): Promise<void> => {
    await setEntered(database.gates, id, true);
    await until(() => expect([page.live, page.counts?.total]).toEqual([true, total]));
  };

  nats.part();
  const [here, there] = (await isThere(sides[0] as Side)) ? sides : sides.toReversed();
  if (!here || !there) throw new Error('unreachable: there are two sides');
  await until(async () => expect((await readyz(edge)).follows?.counters).toEqual([here.name]));
  expect(await isThere(there)).toBe(false);

  // The counter here answers, and is not live.
  here.link.cut();
  const stopwatch = startStopwatch({ pids: () => [edge.pid, counters.get(there)?.pid] });
  await until(async () => expect((await readyz(edge)).follows?.counters).toEqual([there.name]));
  await untilFollowing(edge, there.name);
  expect(await stopwatch.elapsedMs()).toBeLessThan(FOUND_WITHIN_MS);
  await enter('b', 2);

  // Started anew without its database it has counted nothing, and the one behind the other server is no longer live.
  await counters.get(here)?.end('SIGKILL');
  counters.set(here, await here.start());
  const before = connections();
  there.link.cut();
  await until(async () => {
    const { code, waitingFor } = await readyz(edge);
    expect(code).toBe(503);
    expect(waitingFor).toMatch(
      `behind ${new URL(there.server.url).host} ${there.name} is not live (connecting); ` +
        `behind ${new URL(here.server.url).host} ${here.name} has counted nothing yet`,
    );
  });
  const seenThere = edge.logged.flatMap(({ seen }) => (typeof seen === 'string' ? [seen] : []));
  expect(seenThere.at(-1)).toMatch(`${here.name} has counted nothing yet`);
  // Several rounds later it still has the connection that it had.
  const { total_connections: looks } = await here.server.monitor('varz');
  await until(async () =>
    expect((await here.server.monitor('varz'))['total_connections']).toBeGreaterThan(Number(looks) + 2),
  );
  expect(connections()).toBe(before);
  here.link.restore();
  await until(async () => expect((await readyz(edge)).follows?.counters).toEqual([here.name]));
  expect(connections()).toBe(before + 1);
  await enter('c', 3);
});
