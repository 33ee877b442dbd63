import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { createTestDatabase } from '../../testing/database/database.ts';
import { repetitions } from '../../testing/durations.ts';
import { startEntryLoad } from '../../testing/gates/entry-load.ts';
import {
  type Posted,
  sellTickets,
  shutGate,
  startGatesListener,
} from '../../testing/gates/gates-listener.ts';
import { startNetwork } from '../../testing/server/network.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { until } from '../../testing/until.ts';

/** From the first answer of the database on. */
const WRITES_WITHIN_MS = 1_000;
beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true));
afterEach(() => void vi.restoreAllMocks());

/** Returns whether the ticket has entered, by the answer; undefined where the answer leaves it open. */
function reportedEntered({ status, answer }: Posted): boolean | undefined {
  if (status === 200) return true;
  const detail = String(answer['detail']);
  if (/Nothing was changed/.test(detail)) return false;
  expect([status, detail]).toEqual([503, expect.stringMatching(/is not known: send it again/)]);
  return undefined;
}

test('PostgreSQL is killed at a hundred entries a second: written again within a second of its return, and each answer was true', async () => {
  const cluster = await startTestCluster();
  const { gates } = cluster.database;
  await gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(0, 19999) n`;
  const listener = await startGatesListener({ GATES_DATABASE_URL: cluster.database.gatesUrl });
  let first = 0;
  for (let round = 0; round < repetitions(8, 3); round += 1) {
    const load = startEntryLoad({ post: (body) => listener.post(body), perSecond: 100, first });
    await load.untilAnswered(200);
    await cluster.signalAll('SIGKILL');
    await load.untilAnswered(503);
    await cluster.start();
    await cluster.answersAgain();
    const stopwatch = startStopwatch();
    await load.untilAnswered(200);
    expect(await stopwatch.elapsedMs()).toBeLessThan(WRITES_WITHIN_MS);
    await load.stop();
    first = load.next;
    const rows = await gates<{ id: string }[]>`select id from tickets where entrou`;
    const entered = new Set(rows.map(({ id }) => id));
    const wrong = [...load.answers].filter(([id, posted]) => {
      const isIn = reportedEntered(posted);
      return isIn !== undefined && isIn !== entered.has(id);
    });
    expect(wrong).toEqual([]);
  }
  await listener.stop();
});

test('each request that shared a broken commit is answered that its outcome is unknown', async () => {
  const database = await createTestDatabase();
  const { gates, admin, gatesUrl } = database;
  await sellTickets(database, ['a', 'b', 'c1', 'c2']);
  await shutGate(database, 'c%');
  const network = await startNetwork(gatesUrl);
  const listener = await startGatesListener({ GATES_DATABASE_URL: network.url });
  const posted = new Map<string, Promise<Posted>>();
  const post = (id: string): void => void posted.set(id, listener.post({ id, entrou: true }));
  const untilWaiting = (count: number): Promise<void> =>
    until(async () => {
      const waiting = await admin`
        select from pg_locks where not granted and relation = 'public.tickets'::regclass`;
      expect(waiting).toHaveLength(count);
    });
  await gates.begin(async (holding) => {
    await holding`lock table tickets in exclusive mode`;
    for (const [index, id] of ['c1', 'c2'].entries()) {
      post(id);
      await untilWaiting(index + 1);
    }
    // Both writers wait: these will share the next commit.
    post('a');
    post('b');
    for (let asked = 0; asked < 2; asked += 1) await fetch(`${listener.url}/healthz`);
    // What looks after kept readings commits each second, too.
    network.holdOn('commit', 'update public.tickets');
  });
  await until(() => expect(network.hasHeldOn).toBe(true));
  network.cut();
  for (const id of ['c1', 'c2']) expect((await posted.get(id))?.status).toBe(409);
  for (const id of ['a', 'b']) {
    const answered = await posted.get(id);
    expect([id, answered?.status, answered?.answer['detail']]).toEqual([
      id,
      503,
      expect.stringMatching(/broke during the commit\. Whether this was written is not known: send it again/),
    ]);
  }
  network.restore();
  await until(async () => expect((await listener.post({ id: 'b', entrou: true })).status).toBe(200));
  await listener.stop();
  network.close();
});
