import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { LIVE_AGE_MS } from '../../domain/freshness.ts';
import { openScreen, type Screen } from '../../testing/browser/screen.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { recount } from '../../testing/database/oracle.ts';
import { reasonsOf, startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { expectExact, openSubscribedSite } from './subscribed-site.ts';

/** Enters tickets, one after the other, by commits that nobody waits for, until the server names the cause. */
async function enterUntilNamed(
  url: string,
  server: TestServer,
  screen: Screen,
  enter: (sql: postgres.Sql, nth: number) => Promise<unknown>,
): Promise<void> {
  const gates = postgres(url, { max: 1, fetch_types: false, connection: { synchronous_commit: 'off' } });
  closeOnce(() => gates.end({ timeout: 1 }));
  const committed: { readonly atMs: number; readonly total: number }[] = [];
  while (!reasonsOf(server).includes('has not flushed what was committed')) {
    const total = committed.length + 1;
    await enter(gates, total);
    committed.push({ atMs: performance.now(), total });
    const nowMs = performance.now();
    const due = committed.findLast(({ atMs }) => nowMs - atMs > LIVE_AGE_MS)?.total ?? 0;
    expect(screen.live ? screen.total : due).toBeGreaterThanOrEqual(due);
    await pause(20);
  }
  await until(() => expect(screen.live).toBe(false));
}

test('commits that nobody waits to be flushed are on the screens within 7 s, or these are not live, with the cause', async () => {
  const { database } = await startTestCluster({ settings: { wal_writer_delay: '10s' } });
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, 1000) n`;
  const server = await startTestServer(database);
  const screen = openScreen(server.url);
  await until(() => expect(screen.live).toBe(true));
  await enterUntilNamed(
    database.gatesUrl,
    server,
    screen,
    (sql, nth) => sql`update tickets set entrou = true where id = ${`t${nth}`}`,
  );
  // One that is waited for has all before it flushed.
  await database.gates`update tickets set entrou = true where id = 't1000'`;
  await until(async () => {
    expect([screen.live, screen.board.shown?.counts]).toEqual([true, await recount(database.admin)]);
  });
});

test('those of the source of a subscription, too', async () => {
  const site = await openSubscribedSite({ wal_writer_delay: '10s' });
  const { vendor, theirs, sourceUrl } = site;
  await vendor`insert into ingressos select 'J' || n, 'vendido', '4' from generate_series(1, 1000) n`;
  const server = await site.start({ SOURCE_DATABASE_URL: sourceUrl });
  const screen = openScreen(server.url);
  await until(() => expect(screen.live).toBe(true), 30_000);
  await enterUntilNamed(
    theirs.adminUrl,
    server,
    screen,
    (sql, nth) => sql`update ingressos set status = 'lido' where codigo = ${`J${nth}`}`,
  );
  await vendor`update ingressos set status = 'lido' where codigo = 'J1000'`;
  await expectExact(site, screen);
});
