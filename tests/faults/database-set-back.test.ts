import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { positionOf } from '../../domain/live-message.ts';
import { isEarlier } from '../../domain/log-position.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { insertTickets, setEntered } from '../../testing/database/database.ts';
import { FAULT_LIMITS } from '../../testing/durations.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { reasonsOf, startTestServer } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';
import { pageClock } from '../../page/trust/page-clock.ts';

const run = promisify(execFile);

test('invariant 6: a database that is set back to an older copy of itself is not displayed as live, and /readyz has the reason', async () => {
  const cluster = await startTestCluster();
  const { database } = cluster;
  await insertTickets(database.gates, { inside: { a: '4' }, outside: { b: '4', c: '4' } });
  const [{ folder }] = await database.admin<[{ folder: string }]>`
    select current_setting('data_directory') as folder`;
  await cluster.stop();
  await run('cp', ['-a', folder, `${folder}.copy`]);
  await cluster.start();

  const server = await startTestServer(database, {}, { limits: FAULT_LIMITS });
  let aheadMs = 0;
  const clock = (): ReturnType<typeof pageClock> => {
    const { monotonicMs, wallMs } = pageClock();
    return { monotonicMs: monotonicMs + aheadMs, wallMs: wallMs + aheadMs };
  };
  const screen = openScreen(server.url, { clock });
  await setEntered(database.gates, 'b', true);
  await setEntered(database.gates, 'c', true);
  await until(() => expect([screen.live, screen.total]).toEqual([true, 3]));
  const shown = screen.board.shown?.id ?? '';

  await cluster.stop();
  await run('rm', ['-rf', folder]);
  await run('mv', [`${folder}.copy`, folder]);
  await cluster.start();
  await until(() =>
    expect(reasonsOf(server)).toMatch(
      /^The log of the database stands at \d+\.\w+, before \d+\.\w+, which the screens have seen: name the server that has it all, or restart this board if an older copy was put back on purpose$/m,
    ),
  );
  expect([screen.live, screen.board.shown?.id]).toEqual([false, shown]);

  // A restart, as it says: the server does not know the later position any more. The page does, and holds the earlier counts
  // back until a server that is merely behind would have caught up.
  const { port } = new URL(server.url);
  await server.stop();
  await startTestServer(database, { PORT: port }, { limits: FAULT_LIMITS });
  await until(() => expect(screen.board.connection.held).toBeDefined(), 20_000);
  expect(screen.board.shown?.id).toBe(shown);
  aheadMs = 16_000;
  await until(() => expect([screen.live, screen.total]).toEqual([true, 1]), 20_000);
  expect(isEarlier(positionOf(screen.board.shown?.id ?? ''), positionOf(shown))).toBe(true);
});
