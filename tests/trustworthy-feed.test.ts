import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { migrate } from '../server/database/schema/migrate.ts';
import { OBSERVING_LIMITS } from '../server/observing/limits.ts';
import { recount } from './support/recount.ts';
import { createTestDatabase, type TestDatabase } from './support/test-database.ts';
import { startTestServer, type TestServer } from './support/test-server.ts';
import { insertTickets, setEntered } from './support/tickets.ts';
import { until } from './support/until.ts';
import { openViewer, type TestViewer } from './support/viewer.ts';

const LIMITS = { ...OBSERVING_LIMITS, checkEveryMs: 300 };

let database: TestDatabase;
let server: TestServer;
let viewer: TestViewer;

beforeEach(async () => {
  database = await createTestDatabase();
  await insertTickets(database.gates, [
    { id: 'a', setor: '4' },
    { id: 'b', setor: '4', entrou: true },
    { id: 'c', setor: '99', entrou: true },
  ]);
  server = await startTestServer(database, {}, { limits: LIMITS });
  viewer = await openViewer(server.url);
  await until(() => expect(viewer.live).toBe(true));
});

afterEach(async () => {
  viewer?.leave();
  await server?.stop();
  await database?.drop();
});

async function expectLiveRecount(): Promise<void> {
  await until(async () => {
    const { total, sectors, others } = await recount(database.admin, DEFAULT_EVENT_ID);
    expect(viewer.counts).toEqual({ total, sectors, others });
    expect(viewer.live).toBe(true);
  });
}

function reasons(): string {
  return JSON.stringify(server.logged.map((line) => line['reason']));
}

const MIGRATE = async (): Promise<void> => migrate({ ...database, log: () => {} });

/** Each leaves the replication stream running, and lying. */
const CUTS: { what: string; cut: string; named: RegExp; mend: () => Promise<unknown> }[] = [
  {
    what: 'the table is dropped and recreated',
    cut: `alter table tickets rename to old_tickets;
      create table tickets (like old_tickets including all); drop table old_tickets;
      alter table tickets owner to triagem_owner;
      insert into tickets values ('${DEFAULT_EVENT_ID}', 'z', true, true, '4')`,
    named: /public\.tickets is not in the publication/,
    mend: MIGRATE,
  },
  {
    what: 'the publication is dropped',
    cut: 'drop publication triagem',
    named: /does not exist: run/,
    mend: MIGRATE,
  },
  {
    what: 'the publication leaves out updates',
    cut: `alter publication triagem set (publish = 'insert')`,
    named: /leaves out operations/,
    mend: () => database.admin`alter publication triagem set (publish = 'insert, update, delete, truncate')`,
  },
  {
    what: 'the publication loses the table',
    cut: 'alter publication triagem drop table tickets',
    named: /not in the publication/,
    mend: MIGRATE,
  },
  {
    what: 'the publication filters rows',
    cut: `alter publication triagem set table
      tickets (event_id, id, is_valid_ticket, entrou, setor) where (setor = '4'), sectors`,
    named: /filters rows/,
    mend: MIGRATE,
  },
  {
    what: 'the publication publishes another column',
    cut: `alter table tickets add column cpf text; alter publication triagem set table tickets, sectors`,
    named: /must publish these columns/,
    mend: MIGRATE,
  },
  {
    what: 'the identity index is dropped',
    cut: 'drop index tickets_observed',
    named: /replica identity of public\.tickets is not/,
    mend: MIGRATE,
  },
  {
    what: 'the replica identity is reset',
    cut: 'alter table tickets replica identity default',
    named: /replica identity of public\.tickets is not/,
    mend: () => database.admin`alter table tickets replica identity using index tickets_observed`,
  },
  {
    what: 'row security is switched on',
    cut: 'alter table tickets enable row level security',
    named: /Row security/i,
    mend: () => database.admin`alter table tickets disable row level security`,
  },
];

describe('invariant 8: a stream that was cut from its table is stale, named in the log, and live again once mended', () => {
  test.each(CUTS)('when $what', async ({ cut, named, mend }) => {
    await database.admin.unsafe(cut);
    await until(() => expect(viewer.live).toBe(false));
    await until(() => expect(reasons()).toMatch(named));
    const ready = await fetch(`${server.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/waitingFor/);

    await mend();
    await expectLiveRecount();
    await setEntered(database.admin, 'a', true);
    await expectLiveRecount();
  });
});

test('invariant 8: what was made anew between two checks is noticed by its identity', async () => {
  const epochOf = (): string | undefined =>
    viewer.messages.findLast((message) => message.event === 'counts')?.id;
  const before = epochOf()?.split(':')[0];
  // In one transaction, so that no check can see it half done.
  await database.admin.begin(async (sql) => {
    await sql`alter publication triagem drop table tickets`;
    await sql`update tickets set entrou = true where id = 'a'`;
    await sql`alter publication triagem add table tickets (event_id, id, is_valid_ticket, entrou, setor)`;
  });
  await until(() => expect(epochOf()?.split(':')[0]).not.toBe(before));
  await expectLiveRecount();
});

test('counts that fall behind are stale until they have caught up', async () => {
  await server.stop();
  server = await startTestServer(
    database,
    {},
    { limits: { ...LIMITS, staleAfterMs: 150, checkEveryMs: 100 } },
  );
  viewer = await openViewer(server.url);
  await until(() => expect(viewer.live).toBe(true));
  await database.admin`insert into tickets select ${DEFAULT_EVENT_ID}, 'n' || n, true, true, '8' from generate_series(1, 150000) n`;
  await until(() =>
    expect(viewer.messages).toContainEqual(
      expect.objectContaining({ event: 'source', data: expect.objectContaining({ reason: 'lag' }) }),
    ),
  );
  await expectLiveRecount();
});

test('a transaction that stays open while the server starts is named, and waited for', async () => {
  await server.stop();
  const writer = await database.gates.reserve();
  await writer`begin`;
  await writer`update tickets set entrou = true where id = 'a'`;
  server = await startTestServer(database, {}, { limits: { ...LIMITS, slotPatienceMs: 700 } });
  await until(() =>
    expect(reasons()).toMatch(
      /Waiting for a transaction that writes to end: process \d+ of role triagem_gates/,
    ),
  );
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'not observing' });
  viewer = await openViewer(server.url);
  expect(viewer.counts).toBeUndefined();
  await writer`commit`;
  writer.release();
  await expectLiveRecount();
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
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

test('a server that stops leaves no slot and no connection in the database', async () => {
  await server.stop();
  const [held] = await database.admin<[{ slots: number; sessions: number }]>`
    select (select count(*)::int from pg_replication_slots where database = ${database.name}) as slots,
      (select count(*)::int from pg_stat_activity
        where datname = ${database.name} and usename = 'triagem_observer') as sessions`;
  expect(held).toEqual({ slots: 0, sessions: 0 });
});
