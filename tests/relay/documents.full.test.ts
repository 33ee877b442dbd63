import { expect, test } from 'vitest';
import { MAX_DOCUMENTS_BYTES } from '../../domain/event-state.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { digestOf } from '../../fleet/relay/wire.ts';
import { createTestDatabase, insertTickets, newEventId } from '../../testing/database/database.ts';
import { startCounter, startEdge, untilFollowing } from '../../testing/fleet/fleet.ts';
import { startNats } from '../../testing/fleet/nats-server.ts';
import { openPageClient, type PageClient } from '../../testing/browser/page-client.ts';
import { until } from '../../testing/until.ts';

test('documents of every event come to the edges that show it, up to their limit, and to those that start later', async () => {
  const [nats, database] = await Promise.all([startNats(), createTestDatabase()]);
  const counter = await startCounter(nats, database.observerUrl, { env: { NODE_NAME: 'c1' } });
  const other = newEventId();
  const expectDocuments = (client: PageClient, documents: unknown): Promise<void> =>
    until(() => {
      const received = client.messages.findLast((message) => message.event === 'sectors');
      // Not compared as they are: the differences of large ones take minutes to describe.
      expect(digestOf(received?.data)).toBe(digestOf(documents));
    });
  const open = async (name: string, eventId: string): Promise<PageClient> => {
    const edge = await startEdge(nats, { env: { NODE_NAME: name, EVENT_ID: eventId } });
    await untilFollowing(edge, 'c1');
    return openPageClient(edge.url, { eventId });
  };
  const [first, second] = await Promise.all([open('e1', DEFAULT_EVENT_ID), open('e2', other)]);
  // An event without a ticket, and without a document: zeros, live.
  await until(() => expect([second.complete, second.live, second.counts?.total]).toEqual([true, true, 0]));
  await expectDocuments(first, []);
  await expectDocuments(second, []);

  const north = { code: '4', data: { nome: 'NORTE' } };
  const large = { code: '9', data: { mapa: 'x'.repeat(MAX_DOCUMENTS_BYTES - 100) } };
  const { gates } = database;
  await gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', ${gates.json(north.data)})`;
  await expectDocuments(first, [north]);
  await insertTickets(gates, [{ id: 'a', setor: '4', entrou: true, eventId: other }]);
  await until(() => expect([second.counts?.total, first.counts?.total]).toEqual([1, 0]));
  await gates`insert into sectors values (${other}, '9', ${gates.json(large.data)})`;
  await expectDocuments(second, [large]);
  await expectDocuments(first, [north]);

  await expectDocuments(await open('e3', other), [large]);
  await gates`insert into sectors values (${other}, '4', ${gates.json(large.data)})`;
  await expectDocuments(second, []);
  expect(counter.logged).toContainEqual(
    expect.objectContaining({ eventId: other, limitBytes: MAX_DOCUMENTS_BYTES }),
  );
  await gates`delete from sectors where event_id = ${DEFAULT_EVENT_ID}`;
  await expectDocuments(first, []);
  // Nobody was dropped on the way.
  const lost = (lines: readonly Record<string, unknown>[]): unknown[] =>
    lines.filter(({ msg }) => msg === 'not connected to NATS');
  expect(lost(counter.logged)).toEqual([]);
  expect(nats.servers[0].log).not.toMatch(/Slow Consumer/i);
});
