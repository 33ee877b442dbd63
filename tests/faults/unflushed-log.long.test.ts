import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { LIVE_AGE_MS } from '../../domain/freshness.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { closeOnce } from '../../testing/close-once.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { recount } from '../../testing/database/oracle.ts';
import { reasonsOf, startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

test('commits that nobody waits to be flushed are on the screens within 7 s, or these are not live, with the cause', async () => {
  const { database } = await startTestCluster({ settings: { wal_writer_delay: '10s' } });
  await database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 't' || n, true, false, '4' from generate_series(1, 1000) n`;
  const server = await startTestServer(database);
  const screen = openScreen(server.url);
  await until(() => expect(screen.live).toBe(true));
  const gates = postgres(database.gatesUrl, {
    max: 1,
    fetch_types: false,
    connection: { synchronous_commit: 'off' },
  });
  closeOnce(() => gates.end({ timeout: 1 }));
  const committed: { readonly atMs: number; readonly total: number }[] = [];
  const enterOne = async (): Promise<void> => {
    const total = committed.length + 1;
    await gates`update tickets set entrou = true where id = ${`t${total}`}`;
    committed.push({ atMs: performance.now(), total });
    const nowMs = performance.now();
    const due = committed.findLast(({ atMs }) => nowMs - atMs > LIVE_AGE_MS)?.total ?? 0;
    expect(screen.live ? screen.total : due).toBeGreaterThanOrEqual(due);
    await pause(20);
  };
  while (!reasonsOf(server).includes('has not flushed what was committed')) await enterOne();
  await until(() => expect(screen.live).toBe(false));
  // One that is waited for has all before it flushed.
  await database.gates`update tickets set entrou = true where id = 't1000'`;
  await until(async () => {
    expect([screen.live, screen.board.shown?.counts]).toEqual([true, await recount(database.admin)]);
  });
});
