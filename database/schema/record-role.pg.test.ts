import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import {
  changed,
  forgetMigration,
  refusedMigration,
  runMigration,
} from '../../testing/database/migration.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { withConnection } from '../with-connection.ts';

/** Each test leaves it as it found it: prepared, and with nothing recorded. */
const database = openForAll(createTestDatabase);
const emptyRecord = () => database.admin`truncate triagem.minutes, triagem.log`;
const EVENT = 'e'.repeat(32);

const ADD_MINUTE = `
  insert into triagem.minutes (event_id, source, minute, sector, admitted, net, lots, valid)
  values ('${EVENT}', 'live', '2026-11-22 18:29Z', '7', 5, 1, 0, 9)`;
const ADD_ENTRY = `
  insert into triagem.log (event_id, seq, id, at, source, kind, data, figures, previous)
  values ('${EVENT}', 1, 'a', now(), 'live', 'evacuation', '{}', '{}', '')`;

const username = (url: string): string => new URL(url).username;

test("the record's role adds minutes and entries, and reads them", async () => {
  await withConnection(database.recordUrl, async (sql) => {
    await sql.unsafe(`${ADD_MINUTE}; ${ADD_ENTRY}`);
    expect(await sql`select event_id from triagem.minutes`).toEqual([{ event_id: EVENT }]);
    expect(await sql`select seq::int from triagem.log`).toEqual([{ seq: 1 }]);
  });
  await emptyRecord();
});

test("the record's role may change and remove nothing, and has no right elsewhere", async () => {
  await database.admin.unsafe(`${ADD_MINUTE}; ${ADD_ENTRY}`);
  await withConnection(database.recordUrl, async (sql) => {
    for (const statement of [
      'update triagem.minutes set admitted = 0',
      'delete from triagem.minutes',
      'truncate triagem.minutes',
      `update triagem.log set data = '{}'`,
      'delete from triagem.log',
      'truncate triagem.log',
      'insert into triagem.log select * from triagem.log on conflict (event_id, seq) do update set kind = excluded.kind',
      'select from triagem.log for update',
      'alter table triagem.log add column x int',
      'create trigger t before insert on triagem.log execute function suppress_redundant_updates_trigger()',
      'drop table triagem.minutes',
      'create table triagem.mine ()',
      'select * from public.tickets',
      `insert into public.events values ('${EVENT}')`,
      'update public.sectors set data = null',
      'delete from public.event_details',
    ]) {
      await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
  });
  await emptyRecord();
});

test.each(['observerUrl', 'gatesUrl'] as const)(
  'the role of the %s has no right in the record',
  async (role) => {
    await withConnection(database[role], async (sql) => {
      for (const statement of [
        'select from triagem.minutes',
        'select from triagem.log',
        ADD_MINUTE,
        ADD_ENTRY,
      ]) {
        await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
      }
    });
  },
);

test('rights that it must not have are taken away, and those that it lacks are given', async () => {
  const role = username(database.recordUrl);
  await database.admin.unsafe(`
    grant delete, update (data) on triagem.log to ${role}; grant insert on public.tickets to ${role};
    grant create on schema triagem to ${role}; revoke insert on triagem.minutes from ${role}`);
  expect(changed(await runMigration(database))).toEqual([
    'role "triagem_record" may add to the record, and no more: done',
  ]);
  expect(changed(await runMigration(database))).toEqual([]);
  await withConnection(database.recordUrl, (sql) => sql.unsafe(ADD_MINUTE));
  await emptyRecord();
});

test('where nobody may make temporary tables, it may: what is restored waits in them', async () => {
  const role = username(database.recordUrl);
  await database.admin.unsafe(`revoke temporary on database ${database.name} from public, ${role}`);
  expect(changed(await runMigration(database))).toContain(
    'role "triagem_record" may add to the record, and no more: done',
  );
  await withConnection(database.recordUrl, (sql) => sql`create temporary table incoming ()`);
  await database.admin.unsafe(`grant temporary on database ${database.name} to public`);
});

test('rights that it has through other roles are named', async () => {
  await database.admin.unsafe('grant update on triagem.log to public');
  expect(await refusedMigration(database)).toMatch(
    /The role "triagem_record" of RECORD_DATABASE_URL may do more than add to the record: UPDATE on triagem\.log\./,
  );
  await database.admin.unsafe('revoke update on triagem.log from public');
});

test.each(['ownerUrl', 'adminUrl'] as const)(
  'a role of power (the %s) is refused before anything is done',
  async (role) => {
    await forgetMigration(database);
    expect(await refusedMigration(database, { recordUrl: database[role] })).toMatch(
      /of RECORD_DATABASE_URL may do more than add to the record: it (owns triagem|is a superuser)/,
    );
    expect(await database.admin`select to_regclass('public.tickets') as tickets`).toEqual([
      { tickets: null },
    ]);
    await runMigration(database);
  },
);

test('it is neither the observer nor a gate', async () => {
  const { observerUrl, gatesUrl } = database;
  expect(await refusedMigration(database, { recordUrl: observerUrl })).toMatch(
    /^DATABASE_URL and RECORD_DATABASE_URL name the same role, "triagem_observer"\. Name two/,
  );
  expect(await refusedMigration(database, { recordUrl: gatesUrl })).toMatch(
    /^GATES_DATABASE_URL and RECORD_DATABASE_URL name the same role/,
  );
});

test('the schema of somebody else with a table of such a name is left alone', async () => {
  await forgetMigration(database);
  await database.admin.unsafe('create schema triagem; create table triagem.log (line text)');
  expect(await refusedMigration(database)).toMatch(
    /A table triagem\.log is there already, .* another made it/,
  );
  await database.admin.unsafe('drop schema triagem cascade');
  await runMigration(database);
});

test('a table of the record that is gone is made again, with its rights', async () => {
  await database.admin.unsafe('drop table triagem.log');
  const done = changed(await runMigration(database));
  expect(done).toContain('schema 005-record.sql: done');
  expect(done).toContain('role "triagem_record" may add to the record, and no more: done');
  await withConnection(database.recordUrl, (sql) => sql.unsafe(ADD_ENTRY));
  await emptyRecord();
});
