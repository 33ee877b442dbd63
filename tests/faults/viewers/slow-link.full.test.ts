import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { duration, IS_FULL } from '../../../testing/durations.ts';
import { startNetwork } from '../../../testing/server/network.ts';
import { openScreen } from '../../../testing/browser/screen.ts';
import { startTestBoard } from '../../../testing/server/test-board.ts';
import { until } from '../../../testing/until.ts';

/** Its share of a link of 256 kbit/s that 40 screens have in common: a twentieth of what 50 commits a second are. */
const BYTES_PER_SECOND = 800;

test('a link that carries a twentieth of the frames: nothing old is shown as live, and with fewer frames it stays live', async () => {
  const board = await startTestBoard();
  const network = await startNetwork(board.server.url, { bytesPerSecond: BYTES_PER_SECOND, records: true });
  const screen = openScreen(network.url);
  await until(() => expect(screen.live).toBe(true));
  board.startWriting(50);
  // Its buffers are full of old frames: it asks for fewer.
  await until(() => expect(network.requests).toMatch(/live\?pace=/), 60_000);
  const { total = 0 } = screen;
  await until(() => {
    expect(screen.total).toBeGreaterThan(total);
    expect(screen.live).toBe(true);
  }, 30_000);
  const { length } = screen.displayed;
  await pause(duration(240_000, 15_000));
  const displayed = screen.displayed.slice(length);
  // A busy machine holds up the screen itself; one that is never live again is found below.
  expect(displayed.filter(({ live }) => !live).length).toBeLessThanOrEqual(IS_FULL ? 0 : 1);
  expect(displayed.length).toBeGreaterThan(5);
  await board.expectExact(15_000, [board.screen, screen]);
});
