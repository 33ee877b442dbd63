import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pageClock } from '../../../web/live/trust/freshness.ts';
import { openScreen } from '../../support/screen.ts';
import { unhinderedNow } from '../../support/unhindered-time.ts';
import { until } from '../../support/until.ts';
import { startViewerNetwork } from '../../../tools/soak/viewer-network.ts';
import { watchBoard } from '../../support/watched-board.ts';

const ASLEEP_MS = 10 * 60_000;
/** They wake at all stages between two ticks of their own. */
const SCREENS = 10;

test('a laptop asleep for 10 minutes: not one of the frames that wait for it is shown as live; live within 3 s', async () => {
  const board = await watchBoard();
  const network = await startViewerNetwork(board.server.url, { bytesPerSecond: 20_000 });
  let sleptMs = 0;
  // The monotonic clock stands still while it sleeps.
  const clock = () => ({ ...pageClock(), wallMs: Date.now() + sleptMs });
  const screens = Array.from({ length: SCREENS }, () => openScreen(network.url, { clock }));
  await until(() => expect(screens.every(({ live }) => live)).toBe(true));

  network.hold();
  const stopWriting = board.startWriting(10);
  await pause(4_000);
  await stopWriting();
  const asleepUntilMs = performance.now();
  sleptMs = ASLEEP_MS;
  network.restore();

  const sinceThen = () =>
    screens.flatMap(({ showings }) => showings.filter(({ atMs }) => atMs > asleepUntilMs));
  await until(() => expect(screens.some(({ live }) => live)).toBe(false), 1_500);
  const wokenMs = unhinderedNow();
  await until(() => expect(screens.every(({ live }) => live)).toBe(true));
  expect(unhinderedNow() - wokenMs).toBeLessThan(3_000);
  const shownAsLive = sinceThen().flatMap(({ live, total }) => (live ? [total] : []));
  expect(new Set(shownAsLive)).toEqual(new Set([board.oracle.total]));

  await board.expectExact(15_000, [board.screen, ...screens]);
  for (const screen of screens) screen.close();
  network.close();
  await board.close();
});
