import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { createTestDatabase, setEntered } from '../../testing/database/database.ts';
import { LIVE_WITHIN_MS } from '../../testing/durations.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { until } from '../../testing/until.ts';

test('the database is replaced by another with lower counts: the new truth is shown within 2 s, going down', async () => {
  const board = await startTestBoard();
  const { database, screen, oracle, epoch } = board;
  await oracle.write(900, () => database.gates`update tickets set entrou = true where id ~ '^t[1-9]..$'`);
  await until(() => expect(screen.total).toBe(900));

  const replacement = await createTestDatabase({ inside: { a: '4', b: '11' }, outside: { c: '11' } });
  const cluster = postgres(inject('clusterUrls').admin, { max: 1, onnotice: () => {} });
  await Promise.all([replacement.gates.end(), replacement.admin.end()]);
  // Both names lead to the other one, as when a backup is put in the place of what was there.
  await oracle.write(2 - 900, async () => {
    for (const { name } of [database, replacement]) {
      await cluster.unsafe(`alter database ${name} allow_connections false`);
      await cluster`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    }
    await until(() => cluster.unsafe(`alter database ${database.name} rename to swapped_${database.name}`));
    await until(() => cluster.unsafe(`alter database ${replacement.name} rename to ${database.name}`));
    await cluster.unsafe(`alter database swapped_${database.name} rename to ${replacement.name}`);
    await cluster.unsafe(`alter database ${database.name} allow_connections true`);
  });
  await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
  expect(screen.board.shown?.counts).toMatchObject({ total: 2, others: 0 });
  expect(screen.board.shown?.counts.sectors).toMatchObject({ '4': 1, '11': 1 });
  await board.expectExact();

  await oracle.write(1, () => setEntered(database.gates, 'c', true));
  await board.expectExact();
  await board.close();
  await cluster.unsafe(`drop database ${replacement.name} with (force)`);
  await cluster.end();
});
