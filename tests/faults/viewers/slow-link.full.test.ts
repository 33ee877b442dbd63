import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { duration } from '../../../testing/durations.ts';
import { startNetwork } from '../../../testing/network.ts';
import { openScreen } from '../../../testing/screen.ts';
import { startTestBoard } from '../../../testing/test-board.ts';
import { until } from '../../../testing/until.ts';

test('a link that carries a fifth of the frames, its buffers full of old ones: nothing old is shown as live', async () => {
  const board = await startTestBoard();
  const network = await startNetwork(board.server.url, { bytesPerSecond: 1_000 });
  const screen = openScreen(network.url);
  await until(() => expect(screen.live).toBe(true));
  board.startWriting(50);
  await pause(duration(120_000, 25_000));
  const shown = screen.displayed.length;
  await board.expectExact(15_000, [board.screen, screen]);
  expect(shown).toBeGreaterThan(10);
});
