import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import { refusedMigration, runMigration } from '../../testing/database/migration.ts';
import { openForAll } from '../../testing/open-for-tests.ts';

const database = openForAll(createTestDatabase);

test('a transaction that holds the tickets does not make it wait for ever', async () => {
  await database.admin.unsafe('drop index public.tickets_observed');
  await database.gates.begin(async (transaction) => {
    // As a gate that writes, but without a transaction id: for one, every slot of the cluster would wait as long.
    await transaction`lock table tickets in row exclusive mode`;
    expect(await refusedMigration(database, {})).toMatch(/held a lock on the tables for 10 s/);
  });
  await runMigration(database, {});
});
