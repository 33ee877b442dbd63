import { pino } from 'pino';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { EventProjection } from '../../server/counting/event-projection.ts';
import { migrate } from '../../server/database/schema/migrate.ts';
import { PostgresFeed } from '../../server/observing/postgres-feed.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { startPooler } from '../../testing/pooler.ts';

const database = openForAll(createTestDatabase);

/** Observes until it is refused for good; the message is what the operator reads. */
async function refusal(url: string): Promise<string> {
  const feed = new PostgresFeed({
    url,
    place: { setting: 'DATABASE_URL' },
    eventId: DEFAULT_EVENT_ID,
    knownCodes: [],
    log: pino({ level: 'silent' }),
  });
  try {
    const observer = { part: () => {}, freshness: () => {} };
    await feed.run(new EventProjection({ eventId: DEFAULT_EVENT_ID, knownCodes: [], observer }));
    return 'not refused';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await feed.stop();
  }
}

function changed(url: string, change: Partial<URL>): string {
  return Object.assign(new URL(url), change).href;
}

/** Changes the database, and expects that the observer is refused with these words; `undo` restores what was. */
async function expectRefused(change: string, words: RegExp, undo = ''): Promise<void> {
  await database.admin.unsafe(change);
  expect(await refusal(database.observerUrl)).toMatch(words);
  await database.admin.unsafe(undo);
}

test('invariant 4: a role that may write tickets is refused', async () => {
  expect(await refusal(database.adminUrl)).toMatch(/may write tickets, and an observer must not/);
});

test('a wrong password is refused, naming DATABASE_URL and not the password', async () => {
  const message = await refusal(changed(database.observerUrl, { password: 'wrong-secret' }));
  expect(message).toMatch(/correct user and password in DATABASE_URL/);
  expect(message).not.toMatch(/wrong-secret/);
});

test('a database that does not exist is refused by name', async () => {
  const url = changed(database.observerUrl, { pathname: '/nowhere' });
  expect(await refusal(url)).toMatch(/does not exist: create it/);
});

describe('PgBouncer is refused', () => {
  /** What the server sets for its sessions. */
  const overlooked = [
    'search_path',
    'row_security',
    'statement_timeout',
    'lock_timeout',
    'wal_sender_timeout',
    'idle_in_transaction_session_timeout',
  ];

  test.each([
    ['of sessions', { mode: 'session' }],
    ['of transactions', { mode: 'transaction' }],
    ['that overlooks what a session asks for', { mode: 'session', overlooked }],
  ] as const)('%s, by the board and by the migration', async (_what, options) => {
    const leadsTo = async (url: string): Promise<string> =>
      changed(url, { port: String(await startPooler(url, options)) });
    expect(await refusal(await leadsTo(database.observerUrl))).toMatch(
      /^DATABASE_URL leads to a pooler such as PgBouncer, .*: name the host and port of PostgreSQL itself/,
    );
    const ownerUrl = await leadsTo(database.ownerUrl);
    const migrating = migrate({ ...database, ownerUrl, log: () => {} });
    await expect(migrating).rejects.toThrow(
      /^MIGRATE_DATABASE_URL leads to a pooler such as PgBouncer, .*\. Name the host and port of PostgreSQL itself\.$/,
    );
    // The pooler's connection lives on: the next migration would wait for its lock for ever.
    const locks = await database.admin`select from pg_locks where locktype = 'advisory' and database = (
      select oid from pg_database where datname = current_database())`;
    expect(locks).toHaveLength(0);
  });
});

test('a parameter in DATABASE_URL that PostgreSQL does not know is refused', async () => {
  const url = changed(database.observerUrl, { search: '?pgbouncer=true' });
  expect(await refusal(url)).toMatch(
    /DATABASE_URL sets a parameter that the database does not know: leave it out/,
  );
});

test('a role that may not replicate is refused', async () => {
  expect(await refusal(database.gatesUrl)).toMatch(/may not replicate/);
});

test('a missing column privilege is refused with the command that fixes it', async () => {
  await expectRefused(
    'revoke select (setor) on tickets from triagem_observer',
    /may not read the column setor of public\.tickets: run `npm run migrate`/,
    'grant select (setor) on tickets to triagem_observer',
  );
});

test('a missing privilege on the sectors is refused with the command that fixes it', async () => {
  await expectRefused(
    'revoke select on sectors from triagem_observer',
    /lacks a privilege: run `npm run migrate`/,
    'grant select on sectors to triagem_observer',
  );
});

test('a missing column is refused by name', async () => {
  await expectRefused(
    'alter table tickets rename column setor to sector',
    /lacks the column setor: run `npm run migrate`/,
    'alter table tickets rename column sector to setor',
  );
});

test('a function of the same name, first in the search path of the role, does not fool the observer', async () => {
  await expectRefused(
    `create function public.current_setting(text) returns text language sql as $$ select '140010' $$;
    alter role triagem_observer in database ${database.name} set search_path = public, pg_catalog;
    revoke select (setor) on tickets from triagem_observer`,
    // It gets as far as what is really wrong.
    /may not read the column setor/,
    `grant select (setor) on tickets to triagem_observer;
    alter role triagem_observer in database ${database.name} reset search_path;
    drop function public.current_setting(text)`,
  );
});

test('a partitioned table is refused', async () => {
  await expectRefused(
    'create table part () inherits (tickets)',
    /partitioned or inherited/,
    'drop table part',
  );
});

test('a missing table is refused with the command that fixes it', async () => {
  await expectRefused('drop table tickets', /public\.tickets does not exist: run `npm run migrate`/);
});

test('invariant 4: the observer cannot write, nor read another column, nor replicate physically', async () => {
  const fresh = await createTestDatabase();
  await fresh.admin`alter table tickets add column cpf text`;
  const observer = postgres(fresh.observerUrl, { max: 1, onnotice: () => {} });
  for (const statement of [
    `insert into tickets values ('${DEFAULT_EVENT_ID}', 'x', true, true, '4')`,
    'update tickets set entrou = true',
    'delete from tickets',
    'truncate tickets',
    'select cpf from tickets',
    'select * from tickets',
  ]) {
    await expect(observer.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' });
  }
  await observer.end();
  const connection = { replication: 'true' };
  const physical = postgres(fresh.observerUrl, { max: 1, fetch_types: false, connection });
  await expect(physical.unsafe('IDENTIFY_SYSTEM')).rejects.toMatchObject({ code: '28000' });
  await physical.end();
});
