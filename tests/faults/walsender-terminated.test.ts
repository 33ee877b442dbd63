import { expect, test } from 'vitest';
import { startTestBoard } from '../../testing/test-board.ts';
import { until } from '../../testing/until.ts';

test('its walsender is terminated again and again while gates write: live again within 2 s, under a new epoch, exact', async () => {
  const board = await startTestBoard();
  const { database, screen } = board;
  board.startWriting();
  for (let cut = 0; cut < 5; cut += 1) {
    const { epoch } = board;
    const stopwatch = board.startStopwatch();
    await database.terminate('walsender');
    await board.expectNewEpoch(epoch);
    expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
  }
  await until(() => expect(screen.displayed.length).toBeGreaterThan(20));
  await board.expectExact();
});
