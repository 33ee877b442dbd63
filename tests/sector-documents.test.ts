import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase } from '../testing/database.ts';
import { openForEach } from '../testing/open-for-tests.ts';
import { openPageClient } from '../testing/page-client.ts';
import { startTestServer } from '../testing/test-server.ts';
import { until } from '../testing/until.ts';

const database = openForEach(createTestDatabase);
const server = openForEach(() => startTestServer(database));
const viewer = openForEach(() => openPageClient(server.url));

test('the sector documents are told at once and after every change', async () => {
  const expectTold = (documents: unknown): Promise<void> =>
    until(() => {
      const told = viewer.messages.findLast((message) => message.event === 'sectors');
      expect(told?.data).toEqual(documents);
    });
  const { gates, admin } = database;
  const north = { code: '4', data: { nome: 'NORTE' } };
  const large = { mapa: Array.from({ length: 2_000 }, () => Math.random()) };
  await expectTold([]);
  await gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', ${gates.json(north.data)}), (${'f'.repeat(32)}, '5', '{}')`;
  await expectTold([north]);
  await gates`insert into sectors values (${DEFAULT_EVENT_ID}, '11', ${gates.json(large)})`;
  await expectTold([{ code: '11', data: large }, north]);
  // The data is large and does not change: the database does not repeat it.
  await gates`update sectors set code = '12' where code = '11'`;
  await expectTold([{ code: '12', data: large }, north]);
  await gates`update sectors set data = 'null' where code = '4'`;
  await gates`delete from sectors where code = '12'`;
  await expectTold([{ code: '4', data: null }]);
  await admin`truncate sectors`;
  await expectTold([]);
});
