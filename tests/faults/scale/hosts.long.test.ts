import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startListening } from '../../../gates/http/listen.ts';
import { readHttpSettings } from '../../../gates/http/settings.ts';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { migrate } from '../../../database/schema/migrate.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { startTestCluster, type TestCluster } from '../../../testing/database/cluster.ts';
import {
  type DatabaseUrls,
  insertTickets,
  setEntered,
  type TicketsById,
} from '../../../testing/database/database.ts';
import { changed, runMigration } from '../../../testing/database/migration.ts';
import { occurrence, readLogRows } from '../../../testing/desk/log-rows.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { observeOnce } from '../../../testing/sources/observe-once.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';
import { openTestRecord } from '../../../testing/desk/record.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import {
  promote,
  shareObserver,
  startPrimary,
  startStandby,
  startTestPair,
  type TestPair,
  untilCaughtUp,
  urlOf,
} from '../../../testing/database/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { readiness, startServerProcess } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';
import { testInFull } from '../../../testing/test-in-full.ts';

/** After the promotion, on screens and for what comes in over HTTP. */
const LEADS_WITHIN_MS = 3_000;
/** In a row, while only a former primary is up. */
const REFUSALS = 10;

/** One pair for all, whose hosts change places with a promotion; and another database with the same observer. */
const hosts = openForAll(async () => {
  const pair = await startTestPair({ isUnrelated: true });
  const other = await startTestCluster();
  await shareObserver(other, pair.primary.database.observerUrl);
  await insertTickets(other.database.gates, { inside: { x: '4' } });
  return { pair, other, isPromoted: false };
});

/** The pair as it is now, its standby one again, with these tickets. */
async function preparePair(tickets: TicketsById): Promise<TestPair> {
  const { pair, isPromoted } = hosts;
  const { primary, standby } = pair;
  if (isPromoted) {
    await standby.stop();
    await startStandby(standby, primary);
    hosts.isPromoted = false;
  }
  await primary.database.admin`delete from tickets`;
  await insertTickets(primary.database.gates, tickets);
  await untilCaughtUp(pair);
  return pair;
}

async function promoteStandby(): Promise<void> {
  const { primary, standby } = hosts.pair;
  await promote(standby);
  hosts.pair = { primary: standby, standby: primary };
  hosts.isPromoted = true;
}

async function expectEntered({ database }: TestCluster, id: string, isEntered = true): Promise<void> {
  const [ticket] = await database.admin`select entrou from tickets where id = ${id}`;
  expect(ticket).toEqual({ entrou: isEntered });
}

testInFull(
  'of several hosts the gates tool and the migration find the primary; a standby, standbys only, and hosts of two databases are refused',
  async () => {
    const { primary, standby } = await preparePair({});
    const both = [standby, primary] as const;
    expect(
      changed(
        await runMigration(primary.database, {
          ownerUrl: urlOf('ownerUrl', ...both),
          observerUrl: urlOf('observerUrl', ...both),
          gatesUrl: urlOf('gatesUrl', ...both),
          recordUrl: urlOf('recordUrl', ...both),
        }),
      ),
    ).toEqual([]);

    const { observerUrl } = standby.database;
    expect(await observeOnce(observerUrl)).toMatch(
      /The server of DATABASE_URL is a standby, .*: name the primary/,
    );
    expect(await observeOnce(urlOf('observerUrl', standby, standby))).toMatch(
      /DATABASE_URL names no host that is the primary: 127\.0\.0\.1:\d+ is a standby; 127.* is a standby: promote a standby, or name the primary, too/,
    );
    const done: string[] = [];
    const migrating = (urls: DatabaseUrls): Promise<void> =>
      migrate({ ...urls, log: (line) => done.push(line) });
    await expect(migrating(standby.database)).rejects.toThrow(
      /^The server of MIGRATE_DATABASE_URL is a standby, .*\. Name the primary\.$/,
    );
    // A primary is prepared, and the board would observe its standby.
    await expect(migrating({ ...primary.database, observerUrl })).rejects.toThrow(
      /^The server of DATABASE_URL is a standby, .*\. Name the primary\.$/,
    );
    expect(done).toEqual([]);
    // A host that takes longer than half a second is not waited for.
    await until(async () => {
      expect(await observeOnce(urlOf('observerUrl', primary, hosts.other))).toMatch(
        /DATABASE_URL names hosts of different databases \(127\.0\.0\.1:\d+ has the system identifier \d+; 127.*\): name one primary and its standbys/,
      );
    });
  },
);

testInFull(
  'a primary that is silent all at once, as a machine without power: live, and tickets over HTTP are written, within 3 s of the promotion',
  async () => {
    const pair = await preparePair({ inside: { a: '4' }, outside: { b: '4', c: '4' } });
    const { primary, standby } = pair;
    const network = await startNetwork(primary.database.adminUrl);
    const through = (url: string): string => url.replace(primary.host, `127.0.0.1:${network.port}`);
    const { enter } = await listen(through(urlOf('gatesUrl', primary, standby)));
    const server = await startServerProcess(through(urlOf('observerUrl', primary, standby)));
    const screen = openScreen(server.url);
    expect(await enter('a')).toBe(200);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 1]));
    await untilCaughtUp(pair);

    network.swallow();
    expect(await enter('b', 1_000).catch(() => 503)).toBe(503);
    await promoteStandby();
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: standby.database });
    await setEntered(standby.database.gates, 'c', true);
    await until(async () => {
      await enter('b', 500).catch(() => {});
      await expectEntered(standby, 'b');
    });
    await until(() => expect([screen.live, screen.total]).toEqual([true, 3]));
    expect(await stopwatch.elapsedMs()).toBeLessThan(LEADS_WITHIN_MS);
  },
);

test('a former primary that is still up: tickets over HTTP and the record leave it within 3 s, what the new one lacks is written there; alone, it is told nothing', async () => {
  const pair = await preparePair({ outside: { a: '4', b: '4', c: '4' } });
  const { primary, standby } = pair;
  const { enter } = await listen(urlOf('gatesUrl', primary, standby));
  const recordUrl = urlOf('recordUrl', primary, standby);
  const { record } = openTestRecord({ url: recordUrl, eventId: DEFAULT_EVENT_ID });
  const idsIn = async ({ database }: TestCluster): Promise<string[]> =>
    (await readLogRows(database.admin)).map(({ id }) => id);
  await until(() => expect(record.state).toEqual({ kind: 'writer' }));
  await record.append(occurrence('a'));
  expect(await enter('a')).toBe(200);
  await untilCaughtUp(pair);

  await promoteStandby();
  const stopwatch = startStopwatch();
  await until(async () => {
    await enter('b', 500).catch(() => {});
    await expectEntered(standby, 'b');
  });
  expect(await stopwatch.elapsedMs()).toBeLessThan(LEADS_WITHIN_MS);
  // What the former primary is events, nobody counts.
  expect(await enter('a')).toBe(200);
  // Refused while it is away: the same is sent again, and is written once.
  await until(() => record.append(occurrence('b')));
  await until(async () => expect(await idsIn(standby)).toEqual(['a', 'b']));
  await until(() => expect(record.state).toEqual({ kind: 'writer' }));
  await record.append(occurrence('c'));
  expect(await idsIn(standby)).toEqual(['a', 'b', 'c']);
  expect(await idsIn(primary)).not.toContain('c');
  await until(async () => {
    const locks = await primary.database.admin`select from pg_locks where locktype = 'advisory'`;
    expect(locks).toHaveLength(0);
  });

  await standby.signalAll('SIGKILL');
  const statuses: number[] = [];
  while (statuses.length < REFUSALS) {
    statuses.push(await enter('c'));
    await pause(100);
  }
  expect(new Set(statuses)).toEqual(new Set([503]));
  await expectEntered(primary, 'c', false);
  await startPrimary(standby);
  await until(async () => expect(await enter('c')).toBe(200));
  for (const id of ['a', 'b', 'c']) await expectEntered(standby, id);
});

testInFull(
  'a standby whose primary is killed: told with what each host is; live, and tickets over HTTP are written, within 3 s of the promotion; a host of another database is told of, and never shown',
  async () => {
    const pair = await preparePair({ inside: { a: '4' }, outside: { b: '4', c: '4' } });
    const { primary, standby } = pair;
    const { other } = hosts;
    await other.stop();
    const { enter } = await listen(urlOf('gatesUrl', primary, standby));
    expect(await enter('a')).toBe(200);
    await untilCaughtUp(pair);
    await primary.signalAll('SIGKILL');
    const server = await startServerProcess(urlOf('observerUrl', primary, other, standby));
    const expectReadiness = (expected: number, words: string | RegExp): Promise<void> =>
      until(async () => {
        const { status, text } = await readiness(server);
        expect([status, text]).toEqual([expected, expect.stringMatching(words)]);
      });
    await expectReadiness(
      503,
      new RegExp(
        `DATABASE_URL names no host that is the primary: ${primary.host} does not answer .*; ${other.host} does not answer .*; ${standby.host} is a standby: promote a standby, or name the primary, too`,
      ),
    );
    const screen = openScreen(server.url);
    expect(await enter('b', 1_000).catch(() => 503)).toBe(503);
    await promoteStandby();
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: standby.database });
    await until(async () => {
      await enter('b', 500).catch(() => {});
      await expectEntered(standby, 'b');
    });
    await until(() => expect([screen.live, screen.total]).toEqual([true, 2]));
    expect(await stopwatch.elapsedMs()).toBeLessThan(LEADS_WITHIN_MS);

    await other.start();
    await expectReadiness(
      200,
      `Of the hosts of DATABASE_URL, .*${other.host} is another database, which is not used`,
    );
    expect([screen.live, screen.total]).toEqual([true, 2]);
    await standby.signalAll('SIGKILL');
    await expectReadiness(503, /DATABASE_URL leads to another database than before: .* does not answer/);
    expect([screen.live, screen.total]).toEqual([false, 2]);
    await startPrimary(standby);
    await setEntered(standby.database.gates, 'c', true);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 3]));
  },
);

interface Listening {
  /** Says by HTTP that a ticket has entered; resolves with the status of the answer. */
  readonly enter: (id: string, limitMs?: number) => Promise<number>;
}

async function listen(gatesUrl: string): Promise<Listening> {
  const key = 'uma-chave-de-teste-com-32-letras';
  const env = { GATES_DATABASE_URL: gatesUrl, GATES_HTTP_KEY: key, GATES_HTTP_PORT: '0' };
  const listening = await startListening(readHttpSettings(env), env);
  closeOnce(() => listening.stop());
  return {
    enter: async (id, limitMs = 30_000) => {
      const response = await fetch(`${listening.url}/events/${DEFAULT_EVENT_ID}/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ id, entrou: true }),
        signal: AbortSignal.timeout(limitMs),
      });
      return response.status;
    },
  };
}
