import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../testing/database/database.ts';
import {
  forgetMigration,
  changed,
  type MigrationUrls,
  refusedMigration,
  restoreEarlierRecord,
  runMigration,
} from '../../testing/database/migration.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { observeOnce } from '../../testing/sources/observe-once.ts';
import { PROJECT_ROOT } from '../../testing/project-root.ts';
import { TABLES } from '../../board/sources/postgres/contract.ts';
import { withConnection } from '../with-connection.ts';

/** Each test leaves it as it found it: prepared. */
const database = openForAll(createTestDatabase);

const run = (urls: MigrationUrls = {}): Promise<string[]> => runMigration(database, urls);
const failure = (urls: MigrationUrls = {}): Promise<string> => refusedMigration(database, urls);
const forgetEverything = (): Promise<void> => forgetMigration(database);

/** A role of this test's own; its name and password need quoting. */
async function withRole(work: (url: string, name: string) => Promise<void>): Promise<void> {
  const name = `te"st.${randomBytes(4).toString('hex')}`;
  const url = Object.assign(new URL(database.observerUrl), {
    username: name,
    password: `it's "p@ss" \\ wörd`,
  }).href;
  try {
    await work(url, name);
  } finally {
    const role = `"${name.replaceAll('"', '""')}"`;
    await database.admin.unsafe(`
      do $$ begin if exists (select from pg_roles where rolname = '${name}') then
        execute 'drop owned by ${role}; drop role ${role}'; end if; end $$`);
  }
}

test('run again, it finds everything there and changes nothing', async () => {
  const lines = await run();
  expect(lines.length).toBeGreaterThan(5);
  expect(changed(lines)).toEqual([]);
});

test('a database that quotes all identifiers is no other to it', async () => {
  await database.admin.unsafe(`alter database "${database.name}" set quote_all_identifiers = on`);
  try {
    expect(changed(await run())).toEqual([]);
    expect(await observeOnce(database.observerUrl)).toBe('live');
  } finally {
    await database.admin.unsafe(`alter database "${database.name}" reset quote_all_identifiers`);
  }
});

test('two at the same time both succeed', async () => {
  await forgetEverything();
  await Promise.all([run(), run(), run()]);
  expect(changed(await run())).toEqual([]);
});

test.each([
  ['a narrowed publication', `alter publication triagem set (publish = 'insert')`],
  ['a publication without sectors', 'alter publication triagem drop table public.sectors'],
  ['a publication of all columns', 'alter publication triagem set table public.tickets, public.sectors'],
  [
    'a filtered publication',
    `alter publication triagem set table public.tickets (event_id, id, is_valid_ticket, entrou, setor) where (entrou), public.sectors`,
  ],
  ['a publication of more tables', 'alter publication triagem add table public.events'],
  ['a dropped publication', 'drop publication triagem'],
  ['a dropped index', 'drop index public.tickets_observed'],
  [
    'an index of fewer columns',
    'drop index public.tickets_observed; create unique index tickets_observed on public.tickets (event_id, id)',
  ],
  ['a reset replica identity', 'alter table public.tickets replica identity default'],
  ['a full replica identity', 'alter table public.tickets replica identity full'],
])('%s is fixed', async (_what, harm) => {
  await database.admin.unsafe(harm);
  expect(changed(await run())).toHaveLength(1);
  expect(changed(await run())).toEqual([]);
});

test.each([
  [
    'belongs to somebody else',
    'it belongs to triagem_gates',
    `
    alter publication triagem set (publish = 'insert'); alter publication triagem owner to triagem_gates`,
  ],
  [
    'publishes another table',
    'it publishes public.turnstiles',
    `
    create table public.turnstiles (id text primary key); alter publication triagem add table public.turnstiles`,
  ],
  [
    'publishes all tables',
    'it publishes all tables',
    `
    drop publication triagem; create publication triagem for all tables; alter publication triagem owner to postgres`,
  ],
])('a publication of our name that %s is left as it is, with what to do', async (_what, why, harm) => {
  await database.admin.unsafe(harm);
  const publication = () => database.admin`select xmin::text from pg_publication where pubname = 'triagem'`;
  const before = await publication();
  const message = await failure();
  expect(message).toContain(`A publication "triagem" is there already, and not Triagem's: ${why}.`);
  expect(await publication()).toEqual(before);
  await database.admin.unsafe(/DROP PUBLICATION triagem;/.exec(message)?.[0] ?? '');
  expect(changed(await run())).toEqual(['publication triagem: done']);
  await database.admin.unsafe('drop table if exists public.turnstiles');
});

test('a user that does not own the tables learns who does', async () => {
  const { ownerUrl } = database;
  await withRole(async (url, name) => {
    await database.admin.unsafe(`
      create role "${name.replaceAll('"', '""')}" login password 'it''s "p@ss" \\ wörd';
      drop index public.tickets_observed`);
    expect(await failure({ ownerUrl: url })).toMatch(
      /has not the right to do this: .*\. Let it name the owner of the tables, triagem_owner, or a superuser\./,
    );
  });
  await run({ ownerUrl });
});

test('invariant 4: the observer reads the five columns and the sectors', async () => {
  await withConnection(database.observerUrl, async (sql) => {
    expect(await sql`select event_id, id, is_valid_ticket, entrou, setor from public.tickets`).toEqual([]);
    expect(await sql`select * from public.sectors`).toEqual([]);
    expect(await sql`select * from public.event_details`).toEqual([]);
    expect(
      await sql`select event_id, id, at, received_at, kept_at, reason, entrou from public.kept_readings`,
    ).toEqual([]);
    expect(await sql`select * from public.refused_readings`).toEqual([]);
  });
});

test('invariant 4: the observer may read nothing else, and write nothing', async () => {
  await database.admin.unsafe('alter table public.tickets add column nome text');
  await withConnection(database.observerUrl, async (sql) => {
    for (const statement of [
      'select nome from public.tickets',
      'select * from public.events',
      `insert into public.tickets values ('e', 'x', true, true, '4')`,
      'update public.tickets set entrou = true',
      'delete from public.tickets',
      'truncate public.tickets',
      `insert into public.sectors values ('e', '4')`,
      `insert into public.event_details values (repeat('e', 32), 'x')`,
      'select * from public.ticket_times',
      'select gate from public.kept_readings',
      'select setor from public.kept_readings',
      'delete from public.kept_readings',
      'delete from public.refused_readings',
      `insert into public.ticket_times values (repeat('e', 32), 'x', now())`,
      `update public.event_details set title = 'x'`,
      'delete from public.event_details',
      'truncate public.event_details',
      'create table public.mine ()',
    ]) {
      await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
    }
  });
  await database.admin.unsafe('alter table public.tickets drop column nome');
});

test('rights that the observer must not have are taken away', async () => {
  const { username } = new URL(database.observerUrl);
  await database.admin.unsafe(`grant insert, update (entrou) on public.tickets to ${username}`);
  expect(changed(await run())).toHaveLength(1);
  expect(changed(await run())).toEqual([]);
});

test('a right to write event details is too much for the observer', async () => {
  const { username } = new URL(database.observerUrl);
  await database.admin.unsafe(`grant update (title) on public.event_details to ${username}`);
  expect(changed(await run())).toHaveLength(1);
  await database.admin.unsafe('grant insert on public.event_details to public');
  expect(await failure()).toMatch(/may do more than observe: INSERT on public\.event_details/);
  await database.admin.unsafe('revoke insert on public.event_details from public');
});

test('a database that an earlier version prepared gets what has come since, and nothing is done to it again', async () => {
  await database.admin.unsafe(`
    drop table public.event_details, public.ticket_times, public.kept_readings, public.refused_readings,
      public.watched_files;
    drop schema triagem cascade;
    delete from public.triagem_schema where file > '003'`);
  expect(changed(await run())).toEqual([
    'schema 003-event-details.sql: done',
    'schema 004-ticket-times.sql: done',
    'schema 005-record.sql: done',
    'schema 006-readings.sql: done',
    'schema 007-event-ids.sql: done',
    'schema 008-times-of-fields.sql: done',
    'schema 009-kept-messages.sql: done',
    'schema 010-watched-files.sql: done',
    'role "triagem_observer" may read what the counts need, and no more: done',
    'role "triagem_gates" may write tickets, sectors, events and their details: done',
    'role "triagem_record" may add to the record, and no more: done',
  ]);
  expect(changed(await run())).toEqual([]);
  await withConnection(database.gatesUrl, async (sql) => {
    await sql`insert into public.event_details (event_id, title) values (${'e'.repeat(32)}, 'x')`;
    await sql`update public.event_details set time_zone = 'UTC'`;
    await sql`delete from public.event_details`;
  });
});

test('a record of an earlier version takes events of Firestore, and keeps its rows', async () => {
  await restoreEarlierRecord(database);
  const add = (eventId: string) =>
    withConnection(
      database.recordUrl,
      (sql) => sql`
        with log as (
          insert into triagem.log (event_id, seq, id, at, source, kind, data, figures, previous)
          values (${eventId}, 1, 'a', now(), 'live', 'occurrence', '{}', '{}', ''))
        insert into triagem.minutes (event_id, source, minute, sector, admitted, net, lots, valid)
        values (${eventId}, 'live', '2026-01-01T10:00Z', '', 1, 1, 0, 9)`,
    );
  await add('a'.repeat(32));
  await expect(add('Final-2026')).rejects.toThrow(/event_id_check/);
  expect(changed(await run())).toEqual(['schema 007-event-ids.sql: done']);
  expect(changed(await run())).toEqual([]);
  for (const eventId of ['Final-2026', 'é'.repeat(750)]) await add(eventId);
  for (const eventId of ['', 'x'.repeat(1_501)]) await expect(add(eventId)).rejects.toThrow(/event_id_check/);
  expect(await database.admin`select from triagem.log l join triagem.minutes using (event_id)`).toHaveLength(
    3,
  );
});

test('the time of a ticket becomes that of each of its fields, once: not when a table that is gone is made again', async () => {
  const { admin } = database;
  await admin.unsafe(`
    alter table public.ticket_times drop column valid_at, drop column setor_at;
    insert into public.ticket_times (event_id, id, at) values ('e', 'before', now());
    delete from public.triagem_schema where file = '008-times-of-fields.sql'`);
  expect(changed(await run())).toEqual(['schema 008-times-of-fields.sql: done']);
  await admin`insert into public.ticket_times (event_id, id, at) values ('e', 'since', now())`;
  await admin.unsafe('drop table public.event_details');
  expect(changed(await run())).toContain('schema 003-event-details.sql: done');
  const timed = await admin`
    select id, valid_at is not distinct from at as is_valid_timed, setor_at is not distinct from at as is_setor_timed
    from public.ticket_times order by id`;
  expect(timed).toEqual([
    { id: 'before', is_valid_timed: true, is_setor_timed: true },
    { id: 'since', is_valid_timed: false, is_setor_timed: false },
  ]);
  await admin`delete from public.ticket_times`;
});

test('a former version keeps readings once the statements of the changelog are run, until the next upgrade', async () => {
  const { admin } = database;
  const changelog = await readFile(join(PROJECT_ROOT, 'CHANGELOG.md'), 'utf8');
  await admin.unsafe(/```sql\n(.*kept_readings_once.*?)```/s.exec(changelog)?.[1] ?? '');
  for (const minute of [1, 2])
    await admin`
      insert into public.kept_readings (event_id, id, received_at, kept_at, entrou, gate, reason)
      values (repeat('e', 32), 'x', now(), to_timestamp(${minute * 60}), true, 'x', 'ticket')
      on conflict (event_id, id, at) do update set entrou = excluded.entrou`;
  expect(changed(await run())).toEqual(['schema 009-kept-messages.sql: done']);
  const kept = await admin`delete from public.kept_readings returning kept_at`;
  expect(kept).toEqual([{ kept_at: new Date(120_000) }]);
});

test('senseless event details are refused', async () => {
  for (const [values, column] of [
    [`'short', 'x', null, null, null`, 'event_id'],
    [`repeat('e', 32), '', null, null, null`, 'title'],
    [`repeat('e', 32), 'x', null, null, ''`, 'time_zone'],
    [`repeat('e', 32), 'x', '2026-11-22 16:00Z', '2026-11-22 16:00Z', null`, 'kick_off_after_gates'],
  ] as const) {
    await expect(
      database.gates.unsafe(`insert into public.event_details values (${values})`),
    ).rejects.toThrow(new RegExp(`check constraint .*${column}`));
  }
});

test('rights that come from other grants are named', async () => {
  await database.admin.unsafe('grant delete on public.tickets to public');
  expect(await failure()).toMatch(/may do more than observe: DELETE on public\.tickets/);
  await database.admin.unsafe('revoke delete on public.tickets from public');
});

test('the owner of the tables and a superuser are no observers, and lose no right by being tried', async () => {
  expect(await failure({ observerUrl: database.ownerUrl })).toMatch(/it owns public\.tickets/);
  expect(await failure({ observerUrl: database.adminUrl })).toMatch(/it is a superuser/);
  expect(changed(await run())).toEqual([]);
  const rows = await withConnection(database.ownerUrl, (sql) => sql`select * from public.tickets`);
  expect(rows).toEqual([]);
});

test('missing roles are created with names and passwords that need quoting', async () => {
  await withRole(async (url) => {
    await run({ observerUrl: url });
    await withConnection(url, (sql) => sql`select count(*) from public.sectors`);
    expect(changed(await run({ observerUrl: url }))).toEqual([]);
  });
});

/** What an owner without the rights to do it itself is told to have run, as it stands. */
function statementsIn(message: string): string[] {
  return message.split('\n').filter((line) => line.startsWith('  '));
}

test.each([
  ['that may create roles', 'createrole', 1],
  ['that may create none', '', 2],
])(
  'an owner %s says what a superuser must run, which then does what it says',
  async (_what, right, count) => {
    await forgetEverything();
    await withRole(async (observerUrl, observer) => {
      await withRole(async (gatesUrl) => {
        await withRole(async (ownerUrl, ownerName) => {
          const owner = `"${ownerName.replaceAll('"', '""')}"`;
          await database.admin.unsafe(`
          create role ${owner} login ${right} password 'it''s "p@ss" \\ wörd';
          alter database ${database.name} owner to ${owner}`);
          const urls = { ownerUrl, observerUrl, gatesUrl };
          const message = await failure(urls);
          expect(message).toMatch(/may not set up these roles: it needs CREATEROLE, and/);
          expect(message).not.toMatch(/p@ss|the one in/);
          const statements = statementsIn(message);
          expect(statements).toHaveLength(count);
          expect(statements[0]).toContain(`ROLE "${observer.replaceAll('"', '""')}"`);
          for (const statement of statements) await database.admin.unsafe(statement);
          await run(urls);
          expect(changed(await run(urls))).toEqual([]);
          // The passwords of the settings are those of the roles.
          await withConnection(observerUrl, (sql) => sql`select count(*) from public.sectors`);
          await withConnection(gatesUrl, (sql) => sql`select count(*) from public.tickets`);
          await database.admin.unsafe(`
          drop publication triagem; drop schema triagem cascade;
          drop table ${TABLES.map((name) => `public.${name}`).join(', ')}, public.triagem_schema;
          alter database ${database.name} owner to triagem_owner`);
        });
      });
    });
    await run();
  },
);

test('a user that may not grant the rights gets the statements, and who may run them; they suffice', async () => {
  await withRole(async (ownerUrl, name) => {
    const { username } = new URL(database.observerUrl);
    await database.admin.unsafe(`
      create role "${name.replaceAll('"', '""')}" login password 'it''s "p@ss" \\ wörd';
      grant select on public.triagem_schema to public;
      revoke select on public.sectors from ${username}`);
    const message = await failure({ ownerUrl });
    expect(message).toMatch(
      /As the owner of the tables, triagem_owner, or a superuser, run in this database/,
    );
    await withConnection(database.ownerUrl, async (sql) => {
      for (const statement of statementsIn(message)) await sql.unsafe(statement);
    });
    expect(changed(await run({ ownerUrl }))).toEqual([]);
    await database.admin.unsafe('revoke select on public.triagem_schema from public');
  });
});

test('settings that name different databases are refused', async () => {
  const elsewhere = Object.assign(new URL(database.gatesUrl), { pathname: '/postgres' }).href;
  expect(await failure({ gatesUrl: elsewhere })).toMatch(/GATES_DATABASE_URL the database "postgres"/);
});

test('one role for the observer and the gates is refused', async () => {
  expect(await failure({ gatesUrl: database.observerUrl })).toMatch(/name the same role/);
});
