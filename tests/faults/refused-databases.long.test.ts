import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { migrate } from '../../database/schema/migrate.ts';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { observeOnce } from '../../testing/sources/observe-once.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openPageClient } from '../../testing/browser/page-client.ts';
import { startPooler } from '../../testing/database/pooler.ts';
import { listenLocally } from '../../testing/server/port.ts';
import { runProgram } from '../../testing/server/program.ts';
import { serverEnvironment } from '../../testing/server/server.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, startTestServer, type TestServer, untilReady } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const database = openForAll(createTestDatabase);

function changed(url: string, change: Partial<URL>): string {
  return Object.assign(new URL(url), change).href;
}

test('invariant 4: a role that may write tickets is refused', async () => {
  expect(await observeOnce(database.adminUrl)).toMatch(/may write tickets, and an observer must not/);
});

test('a collation for which different texts are equal is refused, by column', async () => {
  const own = await createTestDatabase();
  const collate = (collation: string): Promise<unknown> =>
    own.admin.unsafe(
      `drop publication triagem; alter table tickets alter column setor type text collate ${collation}`,
    );
  const migrateOwn = (): Promise<unknown> => migrate({ ...own, log: () => {} });
  await own.admin`create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`;
  await collate('ci');
  await expect(migrateOwn()).rejects.toThrow(
    /its column setor has a collation for which different texts are equal/,
  );
  await own.admin`create publication triagem for table tickets (event_id, id, is_valid_ticket, entrou, setor), sectors`;
  expect(await observeOnce(own.observerUrl)).toMatch(
    /The column setor of public\.tickets has a collation for which different texts are equal: DROP PUBLICATION triagem, /,
  );
  await collate('"C"');
  await migrateOwn();
  expect(await observeOnce(own.observerUrl)).toBe('live');
});

test.each(['SQL_ASCII', 'LATIN1'])(
  'a database with the encoding %s is refused by the migration',
  async (encoding) => {
    const name = `encoded_in_${encoding.toLowerCase()}`;
    await database.admin.unsafe(
      `create database ${name} template template0 encoding '${encoding}' locale 'C'`,
    );
    const within = (url: string): string => changed(url, { pathname: `/${name}` });
    const { ownerUrl, observerUrl, gatesUrl, recordUrl } = database;
    const urls = {
      ownerUrl: within(ownerUrl),
      observerUrl: within(observerUrl),
      gatesUrl: within(gatesUrl),
      recordUrl: within(recordUrl),
    };
    await expect(migrate({ ...urls, log: () => {} })).rejects.toThrow(
      new RegExp(`has the encoding ${encoding}, .* ENCODING 'UTF8'`),
    );
  },
);

test('a wrong password is refused, naming DATABASE_URL and not the password', async () => {
  const message = await observeOnce(changed(database.observerUrl, { password: 'wrong-secret' }));
  expect(message).toMatch(/correct user and password in DATABASE_URL/);
  expect(message).not.toMatch(/wrong-secret/);
});

test('a database that does not exist is refused by name', async () => {
  const url = changed(database.observerUrl, { pathname: '/nowhere' });
  expect(await observeOnce(url)).toMatch(/does not exist: create it/);
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
    expect(await observeOnce(await leadsTo(database.observerUrl))).toMatch(
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
  expect(await observeOnce(url)).toMatch(
    /DATABASE_URL sets a parameter that the database does not know: leave it out/,
  );
});

test('a role that may not replicate is refused', async () => {
  expect(await observeOnce(database.gatesUrl)).toMatch(/may not replicate/);
});

const migrateAgain = (): Promise<void> => migrate({ ...database, log: () => {} });

/** What the stream depends on, changed; where `fix` is left out, `npm run migrate` puts it right. */
const CHANGES: { what: string; change: string; words: RegExp; fix?: string }[] = [
  {
    what: 'a missing table',
    change: 'drop table tickets',
    words: /public\.tickets does not exist: run `npm run migrate`/,
  },
  {
    what: 'a missing column',
    change: 'alter table tickets rename column setor to sector',
    words: /public\.tickets lacks the column setor: run `npm run migrate`/,
    fix: 'alter table tickets rename column sector to setor',
  },
  {
    what: 'a missing column privilege',
    change: 'revoke select (setor) on tickets from triagem_observer',
    words: /may not read the column setor of public\.tickets: run `npm run migrate`/,
  },
  {
    what: 'a missing privilege on the sectors',
    change: 'revoke select on sectors from triagem_observer',
    words: /lacks a privilege: run `npm run migrate`/,
  },
  {
    what: 'a function first in the search path',
    change: `create function public.current_setting(text) returns text language sql as $$ select '140010' $$;
      alter role triagem_observer in database DATABASE set search_path = public, pg_catalog;
      revoke select (setor) on tickets from triagem_observer`,
    // It gets as far as what is really wrong.
    words: /may not read the column setor/,
    fix: `grant select (setor) on tickets to triagem_observer;
      alter role triagem_observer in database DATABASE reset search_path;
      drop function public.current_setting(text)`,
  },
  {
    what: 'a partitioned table',
    change: 'create table part () inherits (tickets)',
    words: /public\.tickets is partitioned or inherited: use one ordinary table/,
    fix: 'drop table part',
  },
  {
    what: 'a publication that lacks the table',
    change: 'alter publication triagem drop table tickets',
    words: /public\.tickets is not in the publication "triagem": run `npm run migrate`/,
  },
  {
    what: 'a publication that filters rows',
    change: `alter publication triagem set table
      tickets (event_id, id, is_valid_ticket, entrou, setor) where (setor = '4'), sectors`,
    words: /filters rows of public\.tickets: run `npm run migrate`/,
  },
  {
    what: 'a publication that publishes another column',
    change: 'alter table tickets add column cpf text; alter publication triagem set table tickets, sectors',
    words: /must publish these columns of public\.tickets: .*: run `npm run migrate`/,
  },
  {
    what: 'a publication that lacks the sectors',
    change: 'alter publication triagem drop table sectors',
    words: /public\.sectors is not in the publication "triagem": run `npm run migrate`/,
  },
];

test.each(CHANGES)(
  '$what is refused, with what fixes it; fixed so, it is followed',
  async ({ change, words, fix }) => {
    const run = (sql: string): Promise<unknown> =>
      database.admin.unsafe(sql.replaceAll('DATABASE', database.name));
    await run(change);
    expect(await observeOnce(database.observerUrl)).toMatch(words);
    await (fix === undefined ? migrateAgain() : run(fix));
    expect(await observeOnce(database.observerUrl)).toBe('live');
  },
);

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

test('PostgreSQL 14 is refused', async () => {
  const asFourteen = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.toString('latin1').replace(/1[5-9]0\d\d\d/, '140010'), 'latin1');
  const { url } = await startNetwork(database.observerUrl, { rewrite: asFourteen });
  expect(await observeOnce(url)).toMatch(/PostgreSQL 14 is too old: use 15 or newer/);
});

test('what no retry can fix ends the start with code 1, one line that names the fix, and no password', async () => {
  const url = changed(database.observerUrl, { password: 'wrong-secret' });
  const program = runProgram('start', [], serverEnvironment(url, 0));
  expect(await program.ended).toBe(1);
  const lines = program.stderr().trim().split('\n');
  const heading = /^(Building\.\.\.|Triagem cannot start with these settings:)$/;
  expect(lines.filter((line) => !heading.test(line))).toEqual([
    expect.stringMatching(
      /The database refuses the login: correct user and password in DATABASE_URL, and pg_hba\.conf/,
    ),
  ]);
  expect(program.stdout()).not.toContain('serving the board');
  expect(program.stdout() + program.stderr()).not.toContain('wrong-secret');
});

/** Waits until the server says so at /readyz. */
function untilReasonIs(server: TestServer, message: RegExp): Promise<void> {
  return until(async () => expect((await readiness(server)).text).toMatch(message));
}

describe('what may pass is reported, and retried', () => {
  test('an unknown host: told once, however often it is tried; the server stays, and stops when asked', async () => {
    const observerUrl = changed(database.observerUrl, { hostname: 'no-such-host.invalid' });
    const limits = { ...OBSERVING_LIMITS, maxRetryDelayMs: 20 };
    const server = await startTestServer({ observerUrl }, {}, { limits });
    const message = /The host of DATABASE_URL is unknown: correct it, or the name service/;
    await untilReasonIs(server, message);
    await pause(400);
    expect(server.logged.filter(({ reason }) => message.test(String(reason)))).toHaveLength(1);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.stop();
  });

  test('a server that takes connections and says nothing: told with its address, for as long as it lasts', async () => {
    const silent = createServer();
    const port = await listenLocally(silent);
    const observerUrl = changed(database.observerUrl, { port: String(port) });
    const server = await startTestServer({ observerUrl });
    const message = new RegExp(
      `No answer comes from the address of DATABASE_URL: correct host .* \\(127\\.0\\.0\\.1:${port} was reached, but did not answer`,
    );
    await until(async () => expect((await readiness(server)).text).toMatch(message));
    await server.stop();
    silent.close();
  });
});

describe('a cluster', () => {
  const cluster = openForAll(startTestCluster);

  const SLOTS = 'max_replication_slots';
  test.each([
    ['replication slots', SLOTS, /All replication slots are in use: raise max_replication_slots/],
    ['walsenders', 'max_wal_senders', /no free connection: raise max_connections or max_wal_senders/],
  ])('without free %s: told, and live within 2 s of one becoming free', async (_what, setting, message) => {
    const { database: own } = cluster;
    await cluster.stop();
    await cluster.start({ [setting]: '1' });
    // The only one is held by another server of ours.
    const holder = await startTestServer(own);
    await untilReady(holder);
    const server = await startTestServer(own);
    await untilReasonIs(server, message);
    const viewer = await openPageClient(server.url);
    expect(viewer.counts).toBeUndefined();
    await holder.stop();
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: own });
    await until(() => expect(viewer.live).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
    await server.stop();
  });

  test('with wal_level = replica is refused, with the statement that changes it', async () => {
    await cluster.stop();
    await cluster.start({ wal_level: 'replica' });
    expect(await observeOnce(cluster.database.observerUrl)).toMatch(
      /wal_level is replica: ALTER SYSTEM SET wal_level = logical, and restart PostgreSQL/,
    );
  });
});
