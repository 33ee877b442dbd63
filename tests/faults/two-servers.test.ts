import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openScreen } from '../../testing/screen.ts';
import type { ServerProcess } from '../../testing/server.ts';
import { startTestBoard } from '../../testing/test-board.ts';
import { startServerProcess } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

test('two servers observe one database: both exact, either may be killed, the other is live throughout', async () => {
  const servers: ServerProcess[] = [];
  const board = await startTestBoard({
    startServer: async (url) => {
      servers.push(await startServerProcess(url), await startServerProcess(url));
      return servers[0] as ServerProcess;
    },
  });
  const { database, oracle } = board;
  const screens = servers.map(({ url }) => openScreen(url));
  board.startWriting();
  await until(() => expect(screens.map(({ live }) => live)).toEqual([true, true]));

  for (const [dying, staying] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const epoch = screens[staying]?.epoch;
    const fromMs = performance.now();
    await servers[dying]?.end('SIGKILL');
    await until(() => expect(screens[dying]?.live).toBe(false));
    await pause(500);
    const { port } = new URL(servers[dying]?.url ?? '');
    servers[dying] = await startServerProcess(database.observerUrl, { port: Number(port) });
    await until(() => expect(screens[dying]?.live).toBe(true));
    // The other one has noticed nothing.
    const meanwhile = screens[staying]?.displayed.filter(({ atMs }) => atMs > fromMs) ?? [];
    expect(meanwhile.length).toBeGreaterThan(20);
    expect(meanwhile.every(({ live }) => live)).toBe(true);
    expect(screens[staying]?.epoch).toBe(epoch);
  }

  await board.expectExact(15_000, screens);
  expect(screens[0]?.board.shown?.counts.total).toBe(oracle.total);
  for (const each of servers) await each.stop();
});
