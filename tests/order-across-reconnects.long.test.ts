import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { positionOf } from '../domain/live-message.ts';
import { isEarlier } from '../domain/log-position.ts';
import { OBSERVING_LIMITS } from '../board/sources/postgres/limits.ts';
import { createTestDatabase } from '../testing/database/database.ts';
import { repetitions } from '../testing/durations.ts';
import { startNetwork } from '../testing/server/network.ts';
import { recount } from '../testing/database/oracle.ts';
import { openScreen } from '../testing/browser/screen.ts';
import { startTestServer, type TestServer, untilReady } from '../testing/server/test-server.ts';
import { until } from '../testing/until.ts';

/** A screen changes to the server that is behind while it is: however long that takes here, it must not be stale by then. */
const NOT_STALE = {
  ...OBSERVING_LIMITS,
  staleAfterMs: 30_000,
  silenceMs: 30_000,
  walSenderTimeoutMs: 60_000,
};

const ROUNDS = repetitions(4, 2);

test('invariant 6: a screen that changes between two servers, one of them behind, never goes back, whatever is cut under writes', async () => {
  const database = await createTestDatabase();
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(0, 4999) n`;
  const link = await startNetwork(database.observerUrl);
  const ahead = await startTestServer(database);
  const behind = await startTestServer({ observerUrl: link.url }, {}, { limits: NOT_STALE });
  const balancer = await startNetwork(ahead.url);

  const shownIds: string[] = [];
  const seen = { heldBack: 0, streams: 0 };
  const screen = openScreen(balancer.url, {
    onReceived({ shown, connection: { source, held } }, messages) {
      seen.streams += messages.filter(({ event }) => event === 'build').length;
      if (shown && shown.id !== shownIds.at(-1)) shownIds.push(shown.id);
      if (shown && source && held) seen.heldBack += 1;
    },
  });
  const goTo = async (server: TestServer): Promise<void> => {
    const before = seen.streams;
    balancer.redirect(server.url);
    await until(() => expect([seen.streams > before, screen.live]).toEqual([true, true]));
  };
  await until(() => expect(screen.live).toBe(true));
  const senders = async (): Promise<number[]> => {
    const rows = await database.admin<{ pid: number }[]>`
      select pid from pg_stat_replication r join pg_stat_activity a using (pid)
      where a.datname = current_database() and r.state = 'streaming'`;
    return rows.map(({ pid }) => pid);
  };

  const stopping = new AbortController();
  const writing = (async () => {
    for (let n = 0; !stopping.signal.aborted && n < 5_000; n += 1) {
      await database.gates`update tickets set entrou = true where id = ${`t${n}`}`;
      await pause(2);
    }
  })();
  onTestFinished(async () => {
    stopping.abort();
    await writing;
  });
  // Until it has been offered earlier numbers more than once, by snapshots of both servers.
  for (let round = 0; round < ROUNDS || seen.heldBack < ROUNDS; round += 1) {
    for (const server of [ahead, behind]) await untilReady(server);
    link.hold();
    await pause(300);
    await goTo(behind);
    link.restore();
    await pause(200);
    await goTo(ahead);
    const ended = await senders();
    await database.terminate('walsender');
    // Both have noticed, and are served anew: a server that finds out behind a link that holds could not be.
    await until(async () => {
      const anew = (await senders()).filter((pid) => !ended.includes(pid));
      expect(anew).toHaveLength(2);
    });
  }
  stopping.abort();
  await writing;

  await until(async () => {
    expect(screen.board.shown?.counts).toEqual(await recount(database.admin));
    expect(screen.live).toBe(true);
  });
  const backwards = shownIds.filter((id, n) => isEarlier(positionOf(id), positionOf(shownIds[n - 1] ?? id)));
  expect(backwards).toEqual([]);
  expect(new Set(shownIds.map((id) => id.split(':')[0])).size).toBeGreaterThan(2);
});
