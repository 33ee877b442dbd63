import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../../testing/cluster.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { startNetwork } from '../../testing/network.ts';
import { openPageClient } from '../../testing/page-client.ts';
import { runProgram } from '../../testing/program.ts';
import { serverEnvironment } from '../../testing/server.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { startServerProcess } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const undo: (() => Promise<unknown> | void)[] = [];

afterEach(async () => {
  for (let last = undo.pop(); last; last = undo.pop()) await last();
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  undo.push(() => database.drop());
  return database;
}

async function newCluster(settings: Record<string, string> = {}): Promise<TestCluster> {
  const cluster = await startTestCluster(settings);
  undo.push(() => cluster.remove());
  return cluster;
}

function changed(url: string, change: Partial<URL>): string {
  return Object.assign(new URL(url), change).href;
}

/** What a retry cannot fix, each with the DATABASE_URL that leads to it. */
const FINAL: { what: string; message: RegExp; url: () => Promise<string> }[] = [
  {
    what: 'a wrong password',
    message: /The database refuses the login: correct user and password in DATABASE_URL, and pg_hba\.conf/,
    url: async () => changed((await newDatabase()).observerUrl, { password: 'wrong-secret' }),
  },
  {
    what: 'a missing table',
    message: /The table public\.tickets does not exist: run `npm run migrate`/,
    async url() {
      const { admin, observerUrl } = await newDatabase();
      await admin`drop table tickets`;
      return observerUrl;
    },
  },
  {
    what: 'a missing column',
    message: /The table public\.tickets lacks the column entrou: run `npm run migrate`/,
    async url() {
      const { admin, observerUrl } = await newDatabase();
      await admin`alter table tickets drop column entrou cascade`;
      return observerUrl;
    },
  },
  {
    what: 'a missing privilege',
    message: /may not read the column setor of public\.tickets: run `npm run migrate`/,
    async url() {
      const { admin, observerUrl } = await newDatabase();
      await admin`revoke select (setor) on tickets from triagem_observer`;
      return observerUrl;
    },
  },
  {
    what: 'PostgreSQL 14',
    message: /PostgreSQL 14 is too old: use 15 or newer/,
    async url() {
      const { observerUrl } = await newDatabase();
      const asFourteen = (bytes: Buffer): Buffer =>
        Buffer.from(bytes.toString('latin1').replace(/1[5-9]0\d\d\d/, '140010'), 'latin1');
      const proxy = await startNetwork(observerUrl, { rewrite: asFourteen });
      undo.push(() => proxy.close());
      return changed(observerUrl, { port: String(proxy.port) });
    },
  },
  {
    what: 'a standby',
    message: /The server of DATABASE_URL is a standby, .*: name the primary/,
    async url() {
      const cluster = await newCluster();
      await cluster.startAsStandby();
      const { ownerUrl, observerUrl } = cluster.database;
      const program = runProgram('migrate', [], {
        MIGRATE_DATABASE_URL: ownerUrl,
        DATABASE_URL: observerUrl,
      });
      expect(await program.ended).toBe(1);
      expect(program.stderr()).toMatch(
        /The server of MIGRATE_DATABASE_URL is a standby, .*\. Name the primary\./,
      );
      return observerUrl;
    },
  },
  {
    what: 'several servers',
    message: /DATABASE_URL names several hosts \(.*\): name one, the primary/,
    url: async () => changed((await newDatabase()).observerUrl, {}).replace('@', '@127.0.0.1:1,'),
  },
  {
    what: 'wal_level = replica',
    message: /wal_level is replica: ALTER SYSTEM SET wal_level = logical, and restart PostgreSQL/,
    async url() {
      const cluster = await newCluster();
      await cluster.stop();
      await cluster.start({ wal_level: 'replica' });
      return cluster.database.observerUrl;
    },
  },
];

describe('what no retry can fix ends the process with code 1 and one line that names the fix', () => {
  test.each(FINAL)('$what', async ({ message, url }) => {
    const databaseUrl = await url();
    const program = runProgram('start', [], serverEnvironment(databaseUrl, 0));
    undo.push(() => void program.child.kill('SIGKILL'));
    expect(await program.ended).toBe(1);
    const lines = program.stderr().trim().split('\n');
    const heading = /^(Building\.\.\.|Triagem cannot start with these settings:)$/;
    expect(lines.filter((line) => !heading.test(line))).toEqual([expect.stringMatching(message)]);
    expect(program.stdout()).not.toContain('serving the board');
    expect(program.stdout() + program.stderr()).not.toContain(/:\/\/.*?:(.*?)@/.exec(databaseUrl)?.[1]);
  });
});

describe('what may pass is told once, and tried again', () => {
  test('an unknown host: the process stays, says so, and stops when asked', async () => {
    const { observerUrl } = await newDatabase();
    const server = await startServerProcess(changed(observerUrl, { hostname: 'no-such-host.invalid' }));
    const message = /The host of DATABASE_URL is unknown: correct it, or the name service/;
    await until(async () => expect(await (await fetch(`${server.url}/readyz`)).text()).toMatch(message));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(server.logged.filter(({ reason }) => message.test(String(reason)))).toHaveLength(1);
    expect(server.child.exitCode).toBeNull();
    await server.stop();
  });

  test('a server that takes connections and says nothing: told with its address, for as long as it lasts', async () => {
    const { observerUrl } = await newDatabase();
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const server = await startServerProcess(changed(observerUrl, { port: String(port) }));
    const message = new RegExp(
      `No answer comes from the address of DATABASE_URL: correct host .* \\(127\\.0\\.0\\.1:${port} was reached, but did not answer`,
    );
    await until(async () => expect(await (await fetch(`${server.url}/readyz`)).text()).toMatch(message));
    await server.stop();
    silent.close();
  });

  test.each([
    [
      'replication slots',
      'max_replication_slots',
      /All replication slots are in use: raise max_replication_slots/,
    ],
    ['walsenders', 'max_wal_senders', /no free connection: raise max_connections or max_wal_senders/],
  ])('no free %s: live within 2 s of one becoming free', async (_what, setting, message) => {
    const cluster = await newCluster();
    const { database } = cluster;
    await cluster.stop();
    await cluster.start({ [setting]: '1' });
    // The only one is held by another server of ours.
    const holder = await startServerProcess(database.observerUrl);
    await until(async () => expect((await fetch(`${holder.url}/readyz`)).status).toBe(200));
    const server = await startServerProcess(database.observerUrl);
    await until(async () => expect(await (await fetch(`${server.url}/readyz`)).text()).toMatch(message));
    const viewer = await openPageClient(server.url);
    expect(viewer.counts).toBeUndefined();
    await holder.stop();
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: database });
    await until(() => expect(viewer.live).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
    viewer.leave();
    await server.stop();
  });
});
