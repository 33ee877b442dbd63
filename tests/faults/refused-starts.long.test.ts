import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startTestCluster } from '../../testing/cluster.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { startNetwork } from '../../testing/network.ts';
import { openPageClient } from '../../testing/page-client.ts';
import { listenLocally } from '../../testing/port.ts';
import { runProgram } from '../../testing/program.ts';
import { shareObserver, startTestPair, urlOf } from '../../testing/standby.ts';
import { serverEnvironment, type ServerProcess } from '../../testing/server.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { readiness, startServerProcess } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

function changed(url: string, change: Partial<URL>): string {
  return Object.assign(new URL(url), change).href;
}

/** The observer's way to a new database. `change`: SQL, after which it is not what it should be. */
async function newDatabase(change = ''): Promise<string> {
  const { admin, observerUrl } = await createTestDatabase();
  await admin.unsafe(change);
  return observerUrl;
}

/** What a retry cannot fix, each with the DATABASE_URL that leads to it. */
const FINAL: { what: string; message: RegExp; url: () => Promise<string> }[] = [
  {
    what: 'a wrong password',
    message: /The database refuses the login: correct user and password in DATABASE_URL, and pg_hba\.conf/,
    url: async () => changed(await newDatabase(), { password: 'wrong-secret' }),
  },
  {
    what: 'a missing table',
    message: /The table public\.tickets does not exist: run `npm run migrate`/,
    url: () => newDatabase('drop table tickets'),
  },
  {
    what: 'a missing column',
    message: /The table public\.tickets lacks the column entrou: run `npm run migrate`/,
    url: () => newDatabase('alter table tickets drop column entrou cascade'),
  },
  {
    what: 'a missing privilege',
    message: /may not read the column setor of public\.tickets: run `npm run migrate`/,
    url: () => newDatabase('revoke select (setor) on tickets from triagem_observer'),
  },
  {
    what: 'PostgreSQL 14',
    message: /PostgreSQL 14 is too old: use 15 or newer/,
    async url() {
      const asFourteen = (bytes: Buffer): Buffer =>
        Buffer.from(bytes.toString('latin1').replace(/1[5-9]0\d\d\d/, '140010'), 'latin1');
      return (await startNetwork(await newDatabase(), { rewrite: asFourteen })).url;
    },
  },
  {
    what: 'a standby',
    message: /The server of DATABASE_URL is a standby, .*: name the primary/,
    async url() {
      const cluster = await startTestCluster();
      await cluster.startAsStandby();
      const { ownerUrl, observerUrl } = cluster.database;
      const settings = { MIGRATE_DATABASE_URL: ownerUrl, DATABASE_URL: observerUrl };
      const program = runProgram('migrate', [], settings);
      expect(await program.ended).toBe(1);
      const words = /The server of MIGRATE_DATABASE_URL is a standby, .*\. Name the primary\./;
      expect(program.stderr()).toMatch(words);
      // A primary is prepared, and the board would observe its standby.
      const primary = (await startTestCluster()).database;
      const other = runProgram('migrate', [], {
        MIGRATE_DATABASE_URL: primary.ownerUrl,
        DATABASE_URL: observerUrl,
      });
      expect(await other.ended).toBe(1);
      expect(other.stderr()).toMatch(/The server of DATABASE_URL is a standby, .*\. Name the primary\./);
      expect(other.stdout()).not.toMatch(/: done/);
      return observerUrl;
    },
  },
  {
    what: 'a standby beside another standby',
    message:
      /DATABASE_URL names no host that is the primary: 127\.0\.0\.1:\d+ is a standby; 127\.0\.0\.1:\d+ is a standby: promote a standby, or name the primary, too/,
    async url() {
      const { primary, standby } = await startTestPair();
      await primary.startAsStandby();
      return urlOf('observerUrl', primary, standby);
    },
  },
  {
    what: 'hosts of two databases',
    message:
      /DATABASE_URL names hosts of different databases \(127\.0\.0\.1:\d+ has the system identifier \d+; 127.*\): name one primary and its standbys/,
    async url() {
      const clusters = [await startTestCluster(), await startTestCluster()] as const;
      await shareObserver(clusters[1], clusters[0].database.observerUrl);
      return urlOf('observerUrl', ...clusters);
    },
  },
  {
    what: 'wal_level = replica',
    message: /wal_level is replica: ALTER SYSTEM SET wal_level = logical, and restart PostgreSQL/,
    async url() {
      const cluster = await startTestCluster();
      await cluster.stop();
      await cluster.start({ wal_level: 'replica' });
      return cluster.database.observerUrl;
    },
  },
];

/** Waits until the server says so at /readyz. */
function expectReason(server: ServerProcess, message: RegExp): Promise<void> {
  return until(async () => expect((await readiness(server)).text).toMatch(message));
}

describe('what no retry can fix ends the process with code 1 and one line that names the fix', () => {
  test.each(FINAL)('$what', async ({ message, url }) => {
    const databaseUrl = await url();
    const program = runProgram('start', [], serverEnvironment(databaseUrl, 0));
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
    const server = await startServerProcess(
      changed(await newDatabase(), { hostname: 'no-such-host.invalid' }),
    );
    const message = /The host of DATABASE_URL is unknown: correct it, or the name service/;
    await expectReason(server, message);
    await pause(1_500);
    expect(server.logged.filter(({ reason }) => message.test(String(reason)))).toHaveLength(1);
    expect(server.child.exitCode).toBeNull();
    await server.stop();
  });

  test('a server that takes connections and says nothing: told with its address, for as long as it lasts', async () => {
    const silent = createServer();
    const port = await listenLocally(silent);
    const server = await startServerProcess(changed(await newDatabase(), { port: String(port) }));
    const message = new RegExp(
      `No answer comes from the address of DATABASE_URL: correct host .* \\(127\\.0\\.0\\.1:${port} was reached, but did not answer`,
    );
    await expectReason(server, message);
    await server.stop();
    silent.close();
  });

  const SLOTS = 'max_replication_slots';
  test.each([
    ['replication slots', SLOTS, /All replication slots are in use: raise max_replication_slots/],
    ['walsenders', 'max_wal_senders', /no free connection: raise max_connections or max_wal_senders/],
  ])('no free %s: live within 2 s of one becoming free', async (_what, setting, message) => {
    const cluster = await startTestCluster();
    const { database } = cluster;
    await cluster.stop();
    await cluster.start({ [setting]: '1' });
    // The only one is held by another server of ours.
    const holder = await startServerProcess(database.observerUrl);
    await holder.serves('/readyz');
    const server = await startServerProcess(database.observerUrl);
    await expectReason(server, message);
    const viewer = await openPageClient(server.url);
    expect(viewer.counts).toBeUndefined();
    await holder.stop();
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: database });
    await until(() => expect(viewer.live).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
  });
});
