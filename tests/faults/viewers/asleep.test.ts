import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startNetwork } from '../../../testing/server/network.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { startTestBoard } from '../../../testing/server/test-board.ts';
import { unhinderedNow, until } from '../../../testing/until.ts';
import { pageClock } from '../../../page/trust/page-clock.ts';

const ASLEEP_MS = 10 * 60_000;
/** They wake at all stages between two ticks of their own. */
const SCREENS = 10;

test('a laptop asleep for 10 minutes: not one of the frames that wait for it is shown as live; live within 3 s', async () => {
  const board = await startTestBoard();
  const network = await startNetwork(board.server.url, { bytesPerSecond: 20_000 });
  let sleptMs = 0;
  // The monotonic clock stands still while it sleeps.
  const clock = () => ({ ...pageClock(), wallMs: Date.now() + sleptMs });
  const screens = Array.from({ length: SCREENS }, () => openScreen(network.url, { clock }));
  await until(() => expect(screens.every(({ live }) => live)).toBe(true));

  network.hold();
  board.startWriting(10);
  await pause(4_000);
  await board.stopWriting();
  const asleepUntilMs = performance.now();
  sleptMs = ASLEEP_MS;
  network.restore();

  const sinceThen = () =>
    screens.flatMap(({ displayed }) => displayed.filter(({ atMs }) => atMs > asleepUntilMs));
  await until(() => expect(screens.some(({ live }) => live)).toBe(false), 1_500);
  const wokenMs = unhinderedNow();
  await until(() => expect(screens.every(({ live }) => live)).toBe(true));
  expect(unhinderedNow() - wokenMs).toBeLessThan(3_000);
  const shownAsLive = sinceThen().flatMap(({ live, total }) => (live ? [total] : []));
  expect(new Set(shownAsLive)).toEqual(new Set([board.oracle.total]));

  await board.expectExact(15_000, [board.screen, ...screens]);
});
