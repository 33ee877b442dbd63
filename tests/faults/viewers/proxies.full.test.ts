import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HEARTBEAT_INTERVAL_MS } from '../../../domain/freshness.ts';
import { OBSERVING_LIMITS } from '../../../board/sources/postgres/limits.ts';
import { setEntered } from '../../../testing/database/database.ts';
import { duration } from '../../../testing/durations.ts';
import { startHttpProxy } from '../../../testing/server/http-proxy.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { startTestBoard } from '../../../testing/server/test-board.ts';
import { until } from '../../../testing/until.ts';

test.concurrent('a proxy that kills idle connections: a quiet board stays live, on one connection', async () => {
  // Of the database only what a screen in the field would see: a busy machine delays its answers.
  const board = await startTestBoard({ overrides: { limits: OBSERVING_LIMITS } });
  const idleLimitMs = duration(30_000, 3_000);
  expect(idleLimitMs).toBeGreaterThan(HEARTBEAT_INTERVAL_MS);
  const network = await startNetwork(board.server.url, { idleLimitMs });
  const screen = openScreen(network.url);
  await until(() => expect(screen.live).toBe(true));
  const liveAtMs = performance.now();
  // The connections of the sign-in are idle for good.
  const openedToStart = network.opened;
  await pause(2.5 * idleLimitMs);
  expect(screen.displayed.filter(({ live, atMs }) => atMs > liveAtMs && !live)).toEqual([]);
  expect(network.opened).toBe(openedToStart);
  await setEntered(board.database.gates, 't0', true);
  await until(() => expect(screen.total).toBe(1), 1_000);
});

test.concurrent('a proxy that kills connections idle for less than a heartbeat: live again within 3 s each time', async () => {
  const board = await startTestBoard();
  const network = await startNetwork(board.server.url, { idleLimitMs: 1_000 });
  const screen = openScreen(network.url);
  await until(() => expect(screen.live).toBe(true));
  await pause(duration(60_000, 10_000));
  await board.expectExact(3_000, [screen]);
  const { displayed } = screen;
  const stale = displayed.filter(({ live, total }) => !live && total !== undefined);
  expect(stale.length).toBeGreaterThan(2);
  for (const { atMs, unhinderedMs } of stale) {
    const again = displayed.find(({ live, atMs: laterMs }) => live && laterMs > atMs);
    expect((again?.unhinderedMs ?? Infinity) - unhinderedMs).toBeLessThan(3_000);
  }
});

test.concurrent('a proxy that buffers every answer to its end: signed in, never live, and nothing shown for true', async () => {
  const board = await startTestBoard();
  const proxy = await startHttpProxy(() => board.server.url, { buffersAnswers: true });
  const screen = openScreen(proxy.url);
  await until(() => expect(screen.board.signedIn).toBe(true));
  board.startWriting(20);
  await pause(duration(60_000, 12_000));
  await board.stopWriting();
  expect(screen.board.status).toEqual({ kind: 'connecting' });
  expect(screen.board.shown).toBeUndefined();
  // Through it the server's end of the stream is all there is to see.
  expect(screen.displayed.filter(({ live, total }) => live || total !== undefined)).toEqual([]);
  screen.close();
  await board.expectExact();
});
