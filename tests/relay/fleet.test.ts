import { expect, test } from 'vitest';
import { createTestDatabase, insertTickets, setEntered } from '../../testing/database/database.ts';
import { readyz, startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { recount } from '../../testing/database/oracle.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { until } from '../../testing/until.ts';

test('a counter counts, an edge shows what it says, live, at once and after every commit', async () => {
  const [nats, database] = await Promise.all([
    startNats(),
    createTestDatabase({ inside: { a: '4', b: 'xyz' }, outside: { c: '6' } }),
  ]);
  const counter = await startCounter(nats, database.observerUrl, { env: { NODE_NAME: 'c1' } });
  const edge = await startEdge(nats, { env: { NODE_NAME: 'e1' } });
  await untilFollowing(edge, 'c1');
  const client = await openPageClient(edge.url);
  await client.reaches('the first counts', ({ complete, live }) => complete && live, 15_000);
  expect(client.counts).toEqual(await recount(database.admin));
  await setEntered(database.gates, 'c', true);
  await insertTickets(database.gates, [{ id: 'd', setor: '11', entrou: true }]);
  await until(async () => expect(client.counts).toEqual(await recount(database.admin)));
  expect(client.counts?.total).toBe(4);
  expect((await readyz(edge)).follows).toMatchObject({ counter: 'c1', counters: ['c1'] });
  expect((await readyz(counter)).code).toBe(200);
});
