import { expect, test } from 'vitest';
import { readEventMetadata } from '../board/sources/postgres/event-metadata.ts';
import { createTestDatabase, insertTickets } from '../testing/database/database.ts';
import { openPageClient } from '../testing/browser/page-client.ts';
import { startTestServer } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';

test('an event is the same however the hexadecimal digits of its ID are written, in settings and in rows', async () => {
  const lower = 'ab'.repeat(16);
  const upper = lower.toUpperCase();
  const database = await createTestDatabase();
  const ticket = { setor: '4', entrou: true };
  await insertTickets(database.gates, [
    { ...ticket, id: 'a', eventId: lower },
    { ...ticket, id: 'b', eventId: upper },
  ]);
  await database.gates`insert into event_details (event_id, title) values (${upper}, 'Palestra × Atlético')`;
  await database.gates`insert into sectors values (${upper}, '4', '{"capacity": 10}')`;
  expect(await readEventMetadata(database.admin, lower)).toEqual(
    new Map([[lower, expect.objectContaining({ title: 'Palestra × Atlético' })]]),
  );
  const board = await startTestServer(database, { EVENT_ID: upper });
  const viewer = await openPageClient(board.url, { eventId: lower });
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, 2]));
  await insertTickets(database.gates, [
    { ...ticket, id: 'c', eventId: upper },
    { ...ticket, id: 'd', eventId: lower },
  ]);
  await until(() => expect(viewer.counts?.total).toBe(4));
  await database.gates`update tickets set entrou = false where event_id = ${upper}`;
  await until(() => expect([viewer.live, viewer.counts?.total]).toEqual([true, 2]));
});
