import { expect, test, vi } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database/database.ts';
import { sellTickets, startGatesListener } from '../../testing/gates/gates-listener.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';

/** Posts an entry, which is refused for this reason, and expects the listener to be unready for the same. */
async function expectNotWriting(database: TestDatabase, reason: RegExp): Promise<void> {
  const listener = await startGatesListener({ GATES_DATABASE_URL: database.gatesUrl });
  const detail = expect.stringMatching(reason);
  expect(await listener.post({ id: 'a', entrou: true })).toMatchObject({ status: 503, answer: { detail } });
  // It may have to connect again.
  await until(async () => {
    const readiness = await fetch(`${listener.url}/readyz`);
    expect([readiness.status, await readiness.json()]).toMatchObject([503, { waitingFor: detail }]);
  });
  await listener.stop();
}

test('readiness ends with the first entry that no commit takes: the table is locked, or a synchronous standby away', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const locked = await createTestDatabase();
  const { database: waiting } = await startTestCluster();
  for (const database of [locked, waiting]) await sellTickets(database, ['a']);
  await locked.admin.begin(async (sql) => {
    await sql`lock table tickets in exclusive mode`;
    await expectNotWriting(locked, /Another program holds one of these tickets/);
  });
  await waiting.admin`alter system set synchronous_standby_names = 'absent'`;
  await waiting.admin`select pg_reload_conf()`;
  await expectNotWriting(waiting, /waits for a synchronous standby .* send it again/);
});

test('an entry that waits for a synchronous standby when "listen" stops is answered: whether it is written is not known', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { database } = await startTestCluster();
  await sellTickets(database, ['a']);
  await database.admin`alter system set synchronous_standby_names = 'absent'`;
  await database.admin`select pg_reload_conf()`;
  const listener = await startGatesListener({ GATES_DATABASE_URL: database.gatesUrl });
  const posted = listener.post({ id: 'a', entrou: true });
  await until(async () => {
    const waiting = await database.admin`select from pg_stat_activity where wait_event = 'SyncRep'`;
    expect(waiting).toHaveLength(1);
  });
  const stopwatch = startStopwatch();
  await listener.stop();
  expect(await stopwatch.elapsedMs()).toBeLessThan(5_000);
  const detail = expect.stringMatching(/Whether this was written is not known: send it again/);
  expect(await posted).toMatchObject({ status: 503, answer: { detail } });
});
