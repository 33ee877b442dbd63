import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { migrate } from '../../server/database/schema/migrate.ts';
import { PostgresFeed } from '../../server/observing/postgres-feed.ts';
import { EventProjection } from '../../server/counting/event-projection.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { startPooler } from '../../testing/pooler.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

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

function changed(url: string, change: (url: URL) => void): string {
  const copy = new URL(url);
  change(copy);
  return copy.href;
}

test('invariant 4: a role that may write tickets is refused', async () => {
  expect(await refusal(database.adminUrl)).toMatch(/may write tickets, and an observer must not/);
});

test('a wrong password is refused, naming DATABASE_URL and not the password', async () => {
  const message = await refusal(changed(database.observerUrl, (url) => (url.password = 'wrong-secret')));
  expect(message).toMatch(/correct user and password in DATABASE_URL/);
  expect(message).not.toMatch(/wrong-secret/);
});

test('a database that does not exist is refused by name', async () => {
  expect(await refusal(changed(database.observerUrl, (url) => (url.pathname = '/nowhere')))).toMatch(
    /does not exist: create it/,
  );
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
    const leadsTo = async (url: string): Promise<string> => {
      const started = await startPooler(url, options);
      onTestFinished(() => started.stop());
      return changed(url, (copy) => (copy.port = String(started.port)));
    };
    expect(await refusal(await leadsTo(database.observerUrl))).toMatch(
      /^DATABASE_URL leads to a pooler such as PgBouncer, .*: name the host and port of PostgreSQL itself/,
    );
    const ownerUrl = await leadsTo(database.ownerUrl);
    const migrating = migrate({ ...database, ownerUrl, log: () => {} });
    await expect(migrating).rejects.toThrow(
      /^MIGRATE_DATABASE_URL leads to a pooler such as PgBouncer, .*\. Name the host and port of PostgreSQL itself\.$/,
    );
  });
});

test('a parameter in DATABASE_URL that PostgreSQL does not know is refused', async () => {
  const url = changed(database.observerUrl, ({ searchParams }) => searchParams.set('pgbouncer', 'true'));
  expect(await refusal(url)).toMatch(
    /DATABASE_URL sets a parameter that the database does not know: leave it out/,
  );
});

test('a role that may not replicate is refused', async () => {
  expect(await refusal(database.gatesUrl)).toMatch(/may not replicate/);
});

test('a missing column privilege is refused with the command that fixes it', async () => {
  await database.admin`revoke select (setor) on tickets from triagem_observer`;
  expect(await refusal(database.observerUrl)).toMatch(
    /may not read the column setor of public\.tickets: run `npm run migrate`/,
  );
  await database.admin`grant select (setor) on tickets to triagem_observer`;
});

test('a missing privilege on the sectors is refused with the command that fixes it', async () => {
  await database.admin`revoke select on sectors from triagem_observer`;
  expect(await refusal(database.observerUrl)).toMatch(/lacks a privilege: run `npm run migrate`/);
  await database.admin`grant select on sectors to triagem_observer`;
});

test('a missing column is refused by name', async () => {
  await database.admin`alter table tickets rename column setor to sector`;
  expect(await refusal(database.observerUrl)).toMatch(/lacks the column setor: run `npm run migrate`/);
  await database.admin`alter table tickets rename column sector to setor`;
});

test('a function of the same name, first in the search path of the role, does not fool the observer', async () => {
  await database.admin.unsafe(`
    create function public.current_setting(text) returns text language sql as $$ select '140010' $$;
    alter role triagem_observer in database ${database.name} set search_path = public, pg_catalog`);
  await database.admin`revoke select (setor) on tickets from triagem_observer`;
  // It gets as far as what is really wrong.
  expect(await refusal(database.observerUrl)).toMatch(/may not read the column setor/);
  await database.admin.unsafe(`
    grant select (setor) on tickets to triagem_observer;
    alter role triagem_observer in database ${database.name} reset search_path;
    drop function public.current_setting(text)`);
});

test('a partitioned table is refused', async () => {
  await database.admin`create table part () inherits (tickets)`;
  expect(await refusal(database.observerUrl)).toMatch(/partitioned or inherited/);
  await database.admin`drop table part`;
});

test('a missing table is refused with the command that fixes it', async () => {
  await database.admin`drop table tickets`;
  expect(await refusal(database.observerUrl)).toMatch(
    /public\.tickets does not exist: run `npm run migrate`/,
  );
});

test('invariant 4: the observer cannot write, nor read another column, nor replicate physically', async () => {
  const fresh = await createTestDatabase();
  await fresh.admin`alter table tickets add column cpf text`;
  const observer = postgres(fresh.observerUrl, { max: 1, onnotice: () => {} });
  const denied = { code: '42501' };
  await expect(
    observer`insert into tickets values (${DEFAULT_EVENT_ID}, 'x', true, true, '4')`,
  ).rejects.toMatchObject(denied);
  await expect(observer`update tickets set entrou = true`).rejects.toMatchObject(denied);
  await expect(observer`delete from tickets`).rejects.toMatchObject(denied);
  await expect(observer`truncate tickets`).rejects.toMatchObject(denied);
  await expect(observer`select cpf from tickets`).rejects.toMatchObject(denied);
  await expect(observer`select * from tickets`).rejects.toMatchObject(denied);
  await observer.end();
  const physical = postgres(fresh.observerUrl, {
    max: 1,
    fetch_types: false,
    connection: { replication: 'true' },
  });
  await expect(physical.unsafe('IDENTIFY_SYSTEM')).rejects.toMatchObject({ code: '28000' });
  await physical.end();
});
