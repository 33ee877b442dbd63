import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/database/database.ts';
import {
  forgetMigration,
  changed,
  refusedMigration,
  runMigration,
} from '../../testing/database/migration.ts';
import { until } from '../../testing/until.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

const run = (): Promise<string[]> => runMigration(database);
const failure = (): Promise<string> => refusedMigration(database);
const forgetEverything = (): Promise<void> => forgetMigration(database);

test('a ticket table that a gate system brought is kept, with its other columns', async () => {
  await forgetEverything();
  await database.admin.unsafe(`
    create table public.tickets (cpf text, event_id varchar(40) not null, id varchar(64) primary key,
      is_valid_ticket boolean not null, entrou boolean not null, setor text not null);
    insert into public.tickets values ('000', 'e', 'x', true, true, '4');
    alter table public.tickets owner to triagem_owner`);
  await run();
  expect(await database.admin`select cpf from public.tickets`).toHaveLength(1);
});

test.each([
  ['a column is missing', 'alter table public.tickets drop column setor'],
  ['a column may be null', 'alter table public.tickets alter column id drop not null'],
  ['a column has another type', 'alter table public.tickets alter column entrou type int using entrou::int'],
  ['it has row security', 'alter table public.tickets enable row level security'],
  ['it is unlogged', 'alter table public.tickets set unlogged'],
])(
  'a table of ours that does not fit any more (%s) is refused with the statement that fixes it',
  async (_what, harm) => {
    await database.admin.unsafe(`alter table public.tickets replica identity default;
    alter table public.tickets drop constraint tickets_pkey; drop publication triagem`);
    await database.admin.unsafe(harm);
    const message = await failure();
    const fix = /ALTER TABLE .*;/.exec(message)?.[0] ?? 'none';
    await database.admin.unsafe(fix);
    expect(changed(await run())).toContain('publication triagem: done');
  },
);

const FIVE =
  'event_id text not null, id text not null, is_valid_ticket boolean not null, entrou boolean not null, setor text not null';

test.each([
  [
    'partitioned',
    'create table public.tickets (id text) partition by list (id)',
    /public\.tickets .* not one plain table/,
  ],
  [
    'inherited',
    'create table public.base (id text); create table public.tickets () inherits (public.base)',
    /not one plain table/,
  ],
  ['a view', `create view public.tickets as select '' as id`, /not one plain table/],
  [
    'of other columns',
    'create table public.tickets (id int primary key, entrou int)',
    /its column id is integer, not text; .*lacks the column setor/,
  ],
  [
    'without a key',
    `create table public.tickets (${FIVE})`,
    /public\.tickets .* has no key within event_id and id/,
  ],
  [
    'published in part to somebody else',
    `create table public.tickets (${FIVE}, primary key (id)); create publication cdc for table public.tickets (id)`,
    /the publication "cdc" publishes a part of it, and an UPDATE on it may fail/,
  ],
  [
    'tickets that another system replicates',
    `create table public.tickets (${FIVE}, primary key (event_id, id)); create publication replica for table public.tickets`,
    /the publication "replica" publishes it, and its subscribers would stop/,
  ],
  [
    'tickets whose replica identity somebody has set',
    `create table public.tickets (${FIVE}, primary key (event_id, id)); alter table public.tickets replica identity full`,
    /it has a replica identity that somebody has set/,
  ],
  [
    'sectors without a key',
    'create table public.sectors (event_id text not null, code text not null, data jsonb not null)',
    /public\.sectors .* has no replica identity .* every UPDATE and DELETE on it would fail/,
  ],
  [
    'sectors with a key that does not tell which one is gone',
    'create table public.sectors (n int primary key, event_id text not null, code text not null, data jsonb not null)',
    /its replica identity lacks event_id or code/,
  ],
  [
    'event details that another made',
    'create table public.event_details (event_id text)',
    /public\.event_details .* another made it/,
  ],
  [
    'times of tickets that another made',
    'create table public.ticket_times (event_id text, id text, at timestamptz)',
    /public\.ticket_times .* another made it/,
  ],
  [
    'events of another type',
    'create table public.events (id bigint primary key)',
    /public\.events .* bigint/,
  ],
])(
  'what a gate system brought, %s, is left alone: the message offers a database of our own, and publishes nothing',
  async (_what, statement, words) => {
    await forgetEverything();
    await database.admin.unsafe(statement);
    const message = await failure();
    expect(message).toMatch(words);
    expect(message).toMatch(
      /Leave it to the system that it belongs to, and give Triagem a database of its own/,
    );
    expect(message).not.toMatch(/ALTER|RENAME/);
    expect(await database.admin`select from pg_publication where pubname = 'triagem'`).toEqual([]);
  },
);

test('sectors that a former version published without a key can be updated again', async () => {
  await database.admin.unsafe(`
    insert into public.sectors values ('e', '4', '{}');
    alter table public.sectors drop constraint sectors_pkey`);
  const update = (): Promise<unknown> => database.gates`update public.sectors set data = '{"gates": []}'`;
  await expect(update()).rejects.toThrow(/does not have a replica identity/);
  expect(await failure()).toMatch(/has failed since it was published; it is not published any more/);
  await update();
});

test('at no step does a write of the gates fail', async () => {
  await database.admin.unsafe(`
    insert into public.tickets values ('e', 'x', true, false, '4');
    alter table public.tickets replica identity default;
    alter publication triagem set table public.tickets (event_id, id), public.sectors`);
  const update = (): Promise<unknown> => database.gates`update public.tickets set entrou = not entrou`;
  let migrating: Promise<string[]> = Promise.resolve([]);
  // Holds the migration up where it would touch the publication.
  await database.admin.begin(async (transaction) => {
    await transaction`comment on publication triagem is 'held'`;
    migrating = run();
    await until(async () => {
      const waiting = await database.gates`
        select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`;
      expect(waiting.length).toBeGreaterThan(0);
    });
    await update();
  });
  expect(changed(await migrating)).toContain('publication triagem: done');
  await update();
});
