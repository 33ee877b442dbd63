import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { positionOf } from '../domain/live-message.ts';
import { isEarlier } from '../domain/log-position.ts';
import { OBSERVING_LIMITS } from '../board/sources/postgres/limits.ts';
import { createTestDatabase, insertTickets, setEntered } from '../testing/database/database.ts';
import { repetitions } from '../testing/durations.ts';
import { openForAll } from '../testing/open-for-tests.ts';
import { recount } from '../testing/database/oracle.ts';
import { openPageClient } from '../testing/browser/page-client.ts';
import { startTestServer } from '../testing/server/test-server.ts';
import { writeAtRandom } from '../testing/database/random-changes.ts';
import { until } from '../testing/until.ts';

const database = openForAll(createTestDatabase);
const server = openForAll(() => startTestServer(database));
const viewer = openForAll(() => openPageClient(server.url));

function expectRecount(client = viewer): Promise<void> {
  return until(async () => {
    expect(client.counts).toEqual(await recount(database.admin));
    expect(client.live).toBe(true);
  });
}

function epochs(): Set<string | undefined> {
  return new Set(viewer.frames.map(({ id }) => id.split(':')[0]));
}

/** Does something while 8 writers go on. */
async function underWriters<T>(work: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const writing = Array.from({ length: 8 }, async () => {
    while (!done.signal.aborted) await writeAtRandom(database, 50);
  });
  const result = await work().finally(() => done.abort());
  await Promise.all(writing);
  return result;
}

const BULK = repetitions(100_000, 30_000);

describe('the counts on a screen', () => {
  test('are zero for an event without a ticket', async () => {
    await until(() => expect(viewer.live).toBe(true));
    expect(viewer.counts?.total).toBe(0);
  });

  test('invariant 3: equal a recount after thousands of changes by 8 concurrent writers', async () => {
    await Promise.all(Array.from({ length: 8 }, () => writeAtRandom(database, repetitions(500, 250))));
    await expectRecount();
    expect(viewer.counts?.total).toBeGreaterThan(0);
    expect(viewer.counts?.others).toBeGreaterThan(0);
  });

  test('invariant 5: equal a recount for every viewer when the handoff happens under 8 writers', async () => {
    const lateViewer = await underWriters(async () => {
      const late = await openPageClient((await startTestServer(database)).url);
      await until(() => expect(late.live).toBe(true));
      return late;
    });
    await expectRecount(lateViewer);
    await expectRecount();
  });

  test('invariant 5: equal a recount across reconnects under 8 writers, each under a new epoch', async () => {
    await underWriters(async () => {
      for (let cut = 0; cut < 3; cut += 1) {
        const before = epochs().size;
        await database.terminate('walsender');
        await until(() => expect(epochs().size).toBeGreaterThan(before));
      }
    });
    await expectRecount();
  });

  test('invariant 3: follow a change of columns that are not observed without counting it', async () => {
    await database.admin`truncate tickets`;
    await database.admin`alter table tickets add column holder text`;
    await database.admin`grant update (holder) on tickets to triagem_gates`;
    // The other one tells the end from the beginning.
    await insertTickets(database.gates, { inside: { named: '8', other: '7' } });
    await database.gates`update tickets set holder = 'someone' where id = 'named'`;
    await setEntered(database.gates, 'named', false);
    await expectRecount();
    expect(viewer.counts?.sectors['8']).toBe(0);
  });

  test('invariant 1: every frame is one commit: two sectors that always change together never differ', async () => {
    await database.admin`truncate tickets`;
    await database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, name || n, true, false, sector
      from generate_series(0, 199) n, (values ('a', '4'), ('b', '7')) as pairs (name, sector)`;
    await expectRecount();
    const start = viewer.frames.length;
    for (let index = 0; index < 200; index += 1) {
      await database.gates`update tickets set entrou = true where id in (${`a${index}`}, ${`b${index}`})`;
    }
    await expectRecount();
    const frames = viewer.frames.slice(start);
    expect(frames.length).toBeGreaterThan(5);
    for (const { data } of frames) expect(data.sectors['4']).toBe(data.sectors['7']);
  });

  test('invariant 2: the total is the sum of the sectors and the others in every frame ever sent', () => {
    expect(viewer.frames.length).toBeGreaterThan(50);
    for (const { data } of viewer.frames) {
      expect(data.total).toBe(Object.values(data.sectors).reduce((sum, count) => sum + count, data.others));
    }
  });

  test('invariant 6: a frame is never of an earlier position than the one before it, across all epochs', () => {
    const ids = viewer.frames.map(({ id }) => id);
    const backwards = ids.filter((id, n) => isEarlier(positionOf(id), positionOf(ids[n - 1] ?? id)));
    expect(backwards).toEqual([]);
    expect(epochs().size).toBeGreaterThan(3);
  });

  test(`a bulk of ${BULK} admissions in one transaction arrives whole`, async () => {
    await database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'bulk' || n, true, false, (n % 13)::text
      from generate_series(1, ${BULK}) n`;
    await database.gates`update tickets set entrou = true where id like 'bulk%'`;
    await expectRecount();
    expect(viewer.counts?.total).toBe(BULK + 400);
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
