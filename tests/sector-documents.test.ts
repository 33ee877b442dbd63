import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { openPageClient, type PageClient } from '../testing/page-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { until } from '../testing/until.ts';

let database: TestDatabase;
let server: TestServer;
let viewer: PageClient;

beforeEach(async () => {
  database = await createTestDatabase();
  server = await startTestServer(database);
  viewer = await openPageClient(server.url);
});

test('the sector documents are told at once and after every change', async () => {
  const told = (): unknown => viewer.messages.findLast((message) => message.event === 'sectors')?.data;
  const { gates, admin } = database;
  const large = { mapa: Array.from({ length: 2_000 }, () => Math.random()) };
  await until(() => expect(told()).toEqual([]));
  await gates`insert into sectors values (${DEFAULT_EVENT_ID}, '4', ${gates.json({ nome: 'NORTE' })}), (${'f'.repeat(32)}, '5', '{}')`;
  await until(() => expect(told()).toEqual([{ code: '4', data: { nome: 'NORTE' } }]));
  await gates`insert into sectors values (${DEFAULT_EVENT_ID}, '11', ${gates.json(large)})`;
  await until(() =>
    expect(told()).toEqual([
      { code: '11', data: large },
      { code: '4', data: { nome: 'NORTE' } },
    ]),
  );
  // The data is large and does not change: the database does not repeat it.
  await gates`update sectors set code = '12' where code = '11'`;
  await until(() =>
    expect(told()).toEqual([
      { code: '12', data: large },
      { code: '4', data: { nome: 'NORTE' } },
    ]),
  );
  await gates`update sectors set data = 'null' where code = '4'`;
  await gates`delete from sectors where code = '12'`;
  await until(() => expect(told()).toEqual([{ code: '4', data: null }]));
  await admin`truncate sectors`;
  await until(() => expect(told()).toEqual([]));
});
