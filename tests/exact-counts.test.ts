import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { positionOf } from '../domain/live-message.ts';
import { isEarlier } from '../domain/log-position.ts';
import { SECTOR_CODES } from '../domain/default-sectors.ts';
import { OBSERVING_LIMITS } from '../server/observing/limits.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { recountShown } from '../testing/oracle.ts';
import { openPageClient, type PageClient } from '../testing/page-client.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { insertTickets, newEventId, setEntered } from '../testing/tickets.ts';
import { until } from '../testing/until.ts';

const CODES = [...SECTOR_CODES, '10', '04', ' 4', ''];
const OTHER_EVENT = newEventId();

let database: TestDatabase;
let server: TestServer;
let viewer: PageClient;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer(database);
  viewer = await openPageClient(server.url);
});

async function expectRecount(): Promise<void> {
  await until(async () => {
    expect(viewer.counts).toEqual(await recountShown(database.admin, DEFAULT_EVENT_ID));
    expect(viewer.live).toBe(true);
  });
}

/** Changes of every kind, at random, on tickets that all writers share: each a commit, all in one call. */
async function writeAtRandom(changes: number): Promise<void> {
  const codes = CODES.map((code) => `'${code}'`).join();
  await database.gates.unsafe(`
    do $$
    declare
      ticket text; kind float; code text;
      events text[] := array['${DEFAULT_EVENT_ID}', '${OTHER_EVENT}'];
    begin
      for change in 1..${changes} loop
        ticket := 't' || floor(random() * 300);
        kind := random();
        code := (array[${codes}])[1 + floor(random() * ${CODES.length})];
        if random() < 0.5 then events := array[events[2], events[1]]; end if;
        begin
          if kind < 0.3 then
            insert into tickets values ('${DEFAULT_EVENT_ID}', ticket, random() < 0.9, random() < 0.5, code)
            on conflict do nothing;
          elsif kind < 0.75 then
            update tickets set entrou = kind < 0.6 where id = ticket;
          elsif kind < 0.85 then
            update tickets set setor = code, is_valid_ticket = not is_valid_ticket where id = ticket;
          elsif kind < 0.92 then
            update tickets set event_id = events[2] where event_id = events[1] and id = ticket;
          else
            delete from tickets where id = ticket and event_id = events[1];
          end if;
        exception when unique_violation or deadlock_detected then
        end;
        commit;
        perform pg_sleep(0.003);
      end loop;
    end $$`);
}

/** Does something while 8 writers go on. */
async function underWriters(work: () => Promise<void>): Promise<void> {
  const done = new AbortController();
  const writing = Array.from({ length: 8 }, async () => {
    while (!done.signal.aborted) await writeAtRandom(50);
  });
  await work().finally(() => done.abort());
  await Promise.all(writing);
}

describe('the counts on a screen', () => {
  test('are zero for an event without a ticket', async () => {
    await until(() => expect(viewer.live).toBe(true));
    expect(viewer.counts?.total).toBe(0);
  });

  test('invariant 3: equal a recount after thousands of changes by 8 concurrent writers', async () => {
    await Promise.all(Array.from({ length: 8 }, () => writeAtRandom(500)));
    await expectRecount();
    expect(viewer.counts?.total).toBeGreaterThan(0);
    expect(viewer.counts?.others).toBeGreaterThan(0);
  });

  test('invariant 5: equal a recount when the handoff happens under 8 writers, whoever looks', async () => {
    let lateViewer: PageClient | undefined;
    await underWriters(async () => {
      const late = await startTestServer(database);
      lateViewer = await openPageClient(late.url);
      await until(() => expect(lateViewer?.live).toBe(true));
    });
    await until(async () =>
      expect(lateViewer?.counts).toEqual(await recountShown(database.admin, DEFAULT_EVENT_ID)),
    );
    await expectRecount();
  });

  test('invariant 5: equal a recount across reconnects under 8 writers, each under a new epoch', async () => {
    const epochs = (): Set<string> =>
      new Set(
        viewer.messages.flatMap((message) =>
          message.event === 'counts' ? [message.id.split(':')[0] ?? ''] : [],
        ),
      );
    await underWriters(async () => {
      for (let cut = 0; cut < 3; cut += 1) {
        const before = epochs().size;
        await database.admin`
          select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'walsender' and datname = ${database.name}`;
        await until(() => expect(epochs().size).toBeGreaterThan(before));
      }
    });
    await expectRecount();
  });

  test('invariant 3: equal a recount after a truncate, and after what follows it', async () => {
    await database.admin`truncate tickets`;
    await expectRecount();
    expect(viewer.counts?.total).toBe(0);
    await insertTickets(database.gates, [{ id: 'after', setor: '4', entrou: true }]);
    await expectRecount();
    expect(viewer.counts?.sectors['4']).toBe(1);
  });

  test('invariant 3: follow a change of columns that are not observed without counting it', async () => {
    await database.admin`alter table tickets add column holder text`;
    await database.admin`grant update (holder) on tickets to triagem_gates`;
    await insertTickets(database.gates, [{ id: 'named', setor: '8', entrou: true }]);
    await database.gates`update tickets set holder = 'someone' where id = 'named'`;
    await setEntered(database.gates, 'named', false);
    await expectRecount();
    expect(viewer.counts?.sectors['8']).toBe(0);
  });

  test('invariant 1: every frame is one commit: two sectors that always change together never differ', async () => {
    await database.admin`truncate tickets`;
    await insertTickets(database.gates, [
      ...Array.from({ length: 200 }, (_, index) => ({ id: `a${index}`, setor: '4' })),
      ...Array.from({ length: 200 }, (_, index) => ({ id: `b${index}`, setor: '7' })),
    ]);
    await expectRecount();
    const start = viewer.messages.length;
    for (let index = 0; index < 200; index += 1) {
      await database.gates`update tickets set entrou = true where id in (${`a${index}`}, ${`b${index}`})`;
    }
    await expectRecount();
    const frames = viewer.messages.slice(start).filter((message) => message.event === 'counts');
    expect(frames.length).toBeGreaterThan(5);
    for (const { data } of frames) expect(data.sectors['4']).toBe(data.sectors['7']);
  });

  test('invariant 2: the total is the sum of the sectors and the others in every frame ever sent', () => {
    const frames = viewer.messages.filter((message) => message.event === 'counts');
    expect(frames.length).toBeGreaterThan(50);
    for (const { data } of frames) {
      expect(data.total).toBe(Object.values(data.sectors).reduce((sum, count) => sum + count, data.others));
    }
  });

  test('invariant 6: a frame is never of an earlier position than the one before it, across all epochs', () => {
    const ids = viewer.messages.flatMap((message) => (message.event === 'counts' ? [message.id] : []));
    const backwards = ids.filter((id, n) => isEarlier(positionOf(id), positionOf(ids[n - 1] ?? id)));
    expect(backwards).toEqual([]);
    expect(new Set(ids.map((id) => id.split(':')[0])).size).toBeGreaterThan(3);
  });

  test('a bulk of 100,000 admissions in one transaction arrives whole', async () => {
    await database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'bulk' || n, true, false, (n % 13)::text
      from generate_series(1, 100000) n`;
    await database.gates`update tickets set entrou = true where id like 'bulk%'`;
    await expectRecount();
    expect(viewer.counts?.total).toBe(100_400);
  });
});

test('the session acknowledges the log, so that the database can drop it', async () => {
  await until(async () => {
    const [row] = await database.admin<[{ behind: string }]>`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) as behind from pg_replication_slots
      where database = ${database.name}`;
    expect(Number(row.behind)).toBeLessThan(100_000);
  });
  expect(OBSERVING_LIMITS.walSenderTimeoutMs).toBeLessThan(OBSERVING_LIMITS.silenceMs);
});
