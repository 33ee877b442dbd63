import { expect, test } from 'vitest';
import { setEntered } from '../../../testing/database/database.ts';
import { createEventLoopProbe } from '../../../testing/server/event-loop-probe.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { startStopwatch } from '../../../testing/stopwatch.ts';
import { startTestBoard } from '../../../testing/server/test-board.ts';
import { startServerProcess } from '../../../testing/server/test-server.ts';
import { until } from '../../../testing/until.ts';

const VIEWERS = 2_000;
const MAX_BLOCK_MS = 250;

test.each([
  { what: 'come back with their sessions', env: {} },
  { what: 'have to sign in anew', env: { SESSION_SECRET: 'outro-segredo-de-teste-com-32-letras' } },
])(
  `${VIEWERS} viewers $what at once after a restart: all live within 10 s, the event loop never blocked`,
  async ({ env }) => {
    const board = await startTestBoard();
    const probe = createEventLoopProbe();
    const settings = { ...probe.env, MAX_VIEWERS_PER_ADDRESS: String(2 * VIEWERS) };
    const { observerUrl } = board.database;
    const before = await startServerProcess(observerUrl, { env: settings });
    const port = Number(new URL(before.url).port);
    const screens = Array.from({ length: VIEWERS }, () => openScreen(before.url, { keepsHistory: false }));
    const allAreLive = (): void => expect(screens.every(({ live }) => live)).toBe(true);
    await until(allAreLive, 20_000);

    await before.end('SIGKILL');
    await until(() => expect(screens.some(({ live }) => live)).toBe(false));
    const server = await startServerProcess(observerUrl, { port, env: { ...settings, ...env } });
    const openedAtMs = Date.parse(String(server.logged.find(({ msg }) => msg === 'listening')?.['time']));
    const [detectedAtMs, stopwatch] = [Date.now(), startStopwatch({ pids: () => [server.pid] })];
    await until(allAreLive, 20_000);
    expect(detectedAtMs - openedAtMs + (await stopwatch.elapsedMs())).toBeLessThan(10_000);
    const block = probe.longestBlock(server.pid, openedAtMs);
    console.info(`live after ${Date.now() - openedAtMs} ms`, block);
    expect(block.blockedMs).toBeLessThan(MAX_BLOCK_MS);

    await setEntered(board.database.gates, 't0', true);
    await until(() => {
      expect(screens.every(({ board: { shown } }) => shown?.counts.total === 1)).toBe(true);
    });
  },
  120_000,
);
