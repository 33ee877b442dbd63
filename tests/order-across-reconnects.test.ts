import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../domain/event.ts';
import { positionOf } from '../domain/live-message.ts';
import { isEarlier } from '../domain/log-position.ts';
import { recount } from '../tools/soak/recount.ts';
import { runPageLogic } from '../tools/soak/page-logic.ts';
import { startTcpProxy } from './support/tcp-proxy.ts';
import { createTestDatabase } from './support/test-database.ts';
import { startTestServer } from './support/test-server.ts';
import { until } from './support/until.ts';
import { signIn } from './support/viewer.ts';

test('invariant 6: a screen that changes between two servers, one of them behind, never goes back, whatever is cut under writes', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(0, 4999) n`;
  const link = await startTcpProxy(Number(new URL(database.observerUrl).port));
  onTestFinished(() => link.close());
  const behind = Object.assign(new URL(database.observerUrl), { port: String(link.port) }).href;
  const servers = [await startTestServer(database), await startTestServer({ observerUrl: behind })] as const;
  for (const server of servers) onTestFinished(() => server.stop());

  let target = servers[0].url;
  let leaving = new AbortController();
  const cookie = await signIn(target);
  const shownIds: string[] = [];
  let [heldBack, streams] = [0, 0];
  const page = runPageLogic({
    fetch: (input, init) => {
      const signal = AbortSignal.any([leaving.signal, ...(init?.signal ? [init.signal] : [])]);
      const headers = { 'content-type': 'application/json', cookie };
      const path = input instanceof Request ? input.url : input;
      return fetch(new URL(path, target), { ...init, headers, signal });
    },
    onReceived: (messages) => void (streams += messages.filter(({ event }) => event === 'build').length),
    onChange({ shown, connection: { source, held } }) {
      if (shown && shown.id !== shownIds.at(-1)) shownIds.push(shown.id);
      if (shown && source && held) heldBack += 1;
    },
  });
  onTestFinished(() => page.close());
  const goTo = async (server: { readonly url: string }): Promise<void> => {
    target = server.url;
    const before = streams;
    leaving.abort();
    leaving = new AbortController();
    await until(() => expect([streams > before, page.live]).toEqual([true, true]));
  };
  await until(() => expect(page.live).toBe(true));

  const written = new AbortController();
  const writing = (async () => {
    for (let n = 0; !written.signal.aborted && n < 5_000; n += 1) {
      await database.gates`update tickets set entrou = true where id = ${`t${n}`}`;
      await pause(2);
    }
  })();
  onTestFinished(async () => {
    written.abort();
    await writing;
  });
  for (let round = 0; round < 4; round += 1) {
    for (const { url } of servers)
      await until(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
    link.stall();
    await pause(300);
    await goTo(servers[1]);
    link.resume();
    await pause(200);
    await goTo(servers[0]);
    await database.admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'walsender' and datname = ${database.name}`;
    await pause(200);
  }
  written.abort();
  await writing;

  await until(async () => {
    const { total, sectors, others } = await recount(database.admin, DEFAULT_EVENT_ID);
    expect(page.board.shown?.admissions).toEqual({ total, sectors, others });
    expect(page.live).toBe(true);
  });
  const backwards = shownIds.filter((id, n) => isEarlier(positionOf(id), positionOf(shownIds[n - 1] ?? id)));
  expect(backwards).toEqual([]);
  // It was offered earlier numbers, by snapshots of both servers.
  expect(heldBack).toBeGreaterThan(3);
  expect(new Set(shownIds.map((id) => id.split(':')[0])).size).toBeGreaterThan(2);
});
