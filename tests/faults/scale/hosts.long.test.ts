import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startListening } from '../../../gates/http/listen.ts';
import { readHttpSettings } from '../../../gates/http/settings.ts';
import { DEFAULT_EVENT_ID } from '../../../domain/event.ts';
import { closeOnce } from '../../../testing/close-once.ts';
import { startTestCluster, type TestCluster } from '../../../testing/cluster.ts';
import { insertTickets, setEntered } from '../../../testing/database.ts';
import { changed, runMigration } from '../../../testing/migration.ts';
import { occurrence, readLogRows } from '../../../testing/log-rows.ts';
import { startNetwork } from '../../../testing/network.ts';
import { openTestRecord } from '../../../testing/record.ts';
import { openScreen } from '../../../testing/screen.ts';
import {
  promote,
  shareObserver,
  startPrimary,
  startTestPair,
  untilCaughtUp,
  urlOf,
} from '../../../testing/standby.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { readiness, startServerProcess } from '../../../testing/test-server.ts';
import { until } from '../../../testing/until.ts';

/** After the promotion. */
const WRITES_WITHIN_MS = 3_000;

test(
  'a standby whose primary is away: said with what each host is, and live once it is promoted',
  { timeout: 180_000 },
  async () => {
    const { primary, standby } = await startTestPair();
    await insertTickets(primary.database.gates, { inside: { a: '4' } });
    await untilCaughtUp({ primary, standby });
    await primary.signalAll('SIGKILL');
    const server = await startServerProcess(urlOf('observerUrl', primary, standby));
    const reason = new RegExp(
      `DATABASE_URL names no host that is the primary: ${primary.host} does not answer .*; ${standby.host} is a standby: promote a standby, or name the primary, too`,
    );
    await until(async () => {
      const { status, text } = await readiness(server);
      expect([status, text]).toEqual([503, expect.stringMatching(reason)]);
    });
    const screen = openScreen(server.url);
    await promote(standby);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 1]));
    await until(async () => expect((await readiness(server)).status).toBe(200));
  },
);

test(
  'a primary that is silent all at once, as a machine without power: live within 3 s of the promotion',
  { timeout: 180_000 },
  async () => {
    const { primary, standby } = await startTestPair();
    await insertTickets(primary.database.gates, { inside: { a: '4' }, outside: { b: '4' } });
    await untilCaughtUp({ primary, standby });
    const network = await startNetwork(primary.database.observerUrl);
    const url = urlOf('observerUrl', primary, standby).replace(primary.host, `127.0.0.1:${network.port}`);
    const server = await startServerProcess(url);
    const screen = openScreen(server.url);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 1]));

    network.swallow();
    await promote(standby);
    const stopwatch = startStopwatch({ pids: () => [server.pid], observersIn: standby.database });
    await setEntered(standby.database.gates, 'b', true);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 2]));
    expect(await stopwatch.elapsedMs()).toBeLessThan(3_000);
  },
);

test(
  'a host of another database: told of while the board is live, and never shown',
  { timeout: 180_000 },
  async () => {
    const { primary, standby } = await startTestPair();
    await insertTickets(primary.database.gates, { inside: { a: '4', b: '4' }, outside: { c: '4' } });
    await untilCaughtUp({ primary, standby });
    const other = await startTestCluster({ isUnrelated: true });
    await shareObserver(other, primary.database.observerUrl);
    await insertTickets(other.database.gates, { inside: { x: '4' } });
    await other.stop();
    const server = await startServerProcess(urlOf('observerUrl', primary, other, standby));
    const screen = openScreen(server.url);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 2]));

    await other.start();
    const warning = `Of the hosts of DATABASE_URL, ${other.host} is another database, which is not used`;
    await until(async () => expect((await readiness(server)).text).toContain(warning));
    expect([screen.live, screen.total]).toEqual([true, 2]);

    await Promise.all([primary, standby].map((cluster) => cluster.signalAll('SIGKILL')));
    const reason = /DATABASE_URL leads to another database than before: .* does not answer/;
    await until(async () => expect((await readiness(server)).text).toMatch(reason));
    expect([screen.live, screen.total]).toEqual([false, 2]);

    await standby.startAsStandby();
    await promote(standby);
    await setEntered(standby.database.gates, 'c', true);
    await until(() => expect([screen.live, screen.total]).toEqual([true, 3]));
  },
);

test(
  'the record leaves a former primary that is still up, and writes there what the new one lacks',
  { timeout: 180_000 },
  async () => {
    const { primary, standby } = await startTestPair();
    const { record } = openTestRecord({
      url: urlOf('recordUrl', primary, standby),
      eventId: DEFAULT_EVENT_ID,
    });
    const idsIn = async ({ database }: TestCluster): Promise<string[]> =>
      (await readLogRows(database.admin)).map(({ id }) => id);
    await until(() => expect(record.state).toEqual({ kind: 'writer' }));
    await record.append(occurrence('a'));
    await untilCaughtUp({ primary, standby });
    await promote(standby);
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
  },
);

test(
  'the gates tool and the migration find the primary among several hosts',
  { timeout: 180_000 },
  async () => {
    const { primary, standby } = await startTestPair();
    const hosts = [standby, primary] as const;
    expect(
      changed(
        await runMigration(primary.database, {
          ownerUrl: urlOf('ownerUrl', ...hosts),
          observerUrl: urlOf('observerUrl', ...hosts),
          gatesUrl: urlOf('gatesUrl', ...hosts),
          recordUrl: urlOf('recordUrl', ...hosts),
        }),
      ),
    ).toEqual([]);
  },
);

test.each(['killed', 'silent', 'still up'] as const)(
  'tickets over HTTP, a primary that is %s: written to the promoted standby within 3 s',
  { timeout: 180_000 },
  async (loss) => {
    const { primary, standby } = await startTestPair();
    await insertTickets(primary.database.gates, { outside: { a: '4', b: '4' } });
    await untilCaughtUp({ primary, standby });
    const network = await startNetwork(primary.database.gatesUrl);
    const url = urlOf('gatesUrl', primary, standby).replace(primary.host, `127.0.0.1:${network.port}`);
    const { enter } = await listen(url);
    expect(await enter('a')).toBe(200);
    await untilCaughtUp({ primary, standby });
    if (loss === 'killed') await primary.signalAll('SIGKILL');
    if (loss === 'silent') network.swallow();
    if (loss !== 'still up') {
      const waiting = enter('b', 1_000);
      // Whoever promotes takes a while: it is looked for ever more rarely.
      await Promise.all([pause(4_000), waiting.catch(() => {})]);
    }
    await promote(standby);
    const stopwatch = startStopwatch();
    const isThere = async (): Promise<boolean> => {
      const [{ entrou }] = await standby.database.admin<[{ entrou: boolean }]>`
        select entrou from tickets where id = 'b'`;
      return entrou;
    };
    await until(async () => {
      await enter('b', 500).catch(() => {});
      expect(await isThere()).toBe(true);
    });
    expect(await stopwatch.elapsedMs()).toBeLessThan(WRITES_WITHIN_MS);
    // What the former primary is told, nobody counts.
    expect(await enter('a')).toBe(200);
  },
);

test(
  'tickets over HTTP, and only a former primary is up: refused until the one that leads is back',
  { timeout: 180_000 },
  async () => {
    const { primary, standby } = await startTestPair();
    await insertTickets(primary.database.gates, { outside: { a: '4', b: '4' } });
    await untilCaughtUp({ primary, standby });
    const { enter } = await listen(urlOf('gatesUrl', primary, standby));
    await promote(standby);
    await until(async () => {
      expect(await enter('a')).toBe(200);
      const [a] = await standby.database.admin`select from tickets where id = 'a' and entrou`;
      expect(a).toBeDefined();
    });

    await standby.signalAll('SIGKILL');
    const statuses: number[] = [];
    for (const endMs = performance.now() + 5_000; performance.now() < endMs; await pause(100)) {
      statuses.push(await enter('b'));
    }
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect(await primary.database.admin`select from tickets where id = 'b' and entrou`).toHaveLength(0);

    await startPrimary(standby);
    await until(async () => expect(await enter('b')).toBe(200));
    expect(await standby.database.admin`select from tickets where id in ('a', 'b') and entrou`).toHaveLength(
      2,
    );
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
