import { expect, test } from 'vitest';
import { startTestBoard } from '../../testing/test-board.ts';
import { until } from '../../testing/until.ts';

test('its walsender is terminated again and again while gates write: live again within 2 s, under a new epoch, exact', async () => {
  const board = await startTestBoard();
  const { database, screen } = board;
  const epoch = (): string | undefined => screen.board.shown?.id.split(':')[0];
  const stopWriting = board.startWriting();
  for (let cut = 0; cut < 5; cut += 1) {
    const before = epoch();
    const stopwatch = board.startStopwatch();
    await database.admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where backend_type = 'walsender' and datname = ${database.name}`;
    await until(() => expect(epoch()).not.toBe(before));
    await until(() => expect(screen.live).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
  }
  await until(() => expect(screen.displayed.length).toBeGreaterThan(20));
  await stopWriting();
  await board.expectExact();
});
