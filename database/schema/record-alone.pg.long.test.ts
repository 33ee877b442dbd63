import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { occurrence } from '../../testing/desk/log-rows.ts';
import { forgetMigration, refusedMigration } from '../../testing/database/migration.ts';
import { runProgram } from '../../testing/server/program.ts';
import { openTestRecord } from '../../testing/desk/record.ts';
import { until } from '../../testing/until.ts';

const FIRESTORE_PROJECT = 'estadio-1a2b3';

test('a server that is not observed keeps the record of a board on Firestore, with any wal_level', async () => {
  const { database } = await startTestCluster({ settings: { wal_level: 'replica' } });
  await forgetMigration(database);
  const settings = { MIGRATE_DATABASE_URL: database.ownerUrl, RECORD_DATABASE_URL: database.recordUrl };
  const migrate = async (env: Readonly<Record<string, string>>) => {
    const program = runProgram('migrate', [], { ...settings, ...env });
    return { code: await program.ended, out: program.stdout(), err: program.stderr() };
  };
  const done = await migrate({ FIRESTORE_PROJECT });
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toMatch(/^FIRESTORE_PROJECT is set: the record alone is prepared\n/);
  expect(done.out).toContain('schema 007-event-ids.sql: done');
  expect(done.out).not.toMatch(/publication|triagem_observer|triagem_gates/);
  expect(await database.admin`select from pg_publication`).toHaveLength(0);

  const { record } = openTestRecord({ url: database.recordUrl, eventId: 'Final-2026' });
  await until(() => expect(record.state).toEqual({ kind: 'writer' }));
  expect(await record.append(occurrence('a'))).toMatchObject({ seq: 1 });

  // What is set for a board on PostgreSQL is not overlooked, and without a project all of it is needed.
  expect(await migrate({ FIRESTORE_PROJECT, DATABASE_URL: database.observerUrl })).toMatchObject({
    code: 2,
    err: expect.stringContaining('DATABASE_URL is set beside FIRESTORE_PROJECT') as string,
  });
  expect(await migrate({})).toMatchObject({
    code: 2,
    err: expect.stringContaining('DATABASE_URL is not set') as string,
  });
  expect(await refusedMigration(database)).toMatch(/wal_level is "replica"/);
});
