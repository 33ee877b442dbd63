import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { isEarlier } from '../../domain/log-position.ts';
import { positionOf } from '../../domain/live-message.ts';
import { pageClock } from '../../web/live/freshness.ts';
import { FAULT_LIMITS } from '../support/durations.ts';
import { startOwnCluster } from '../support/own-cluster.ts';
import { openScreen } from '../support/screen.ts';
import { startTestServer } from '../support/test-server.ts';
import { insertTickets, setEntered } from '../support/tickets.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

test('invariant 6: a database that is set back to an older copy of itself is not shown as live, and the operator is told why', async () => {
  const cluster = await startOwnCluster();
  onTestFinished(() => cluster.remove());
  const { database } = cluster;
  await insertTickets(database.gates, [
    { id: 'a', setor: '4', entrou: true },
    { id: 'b', setor: '4' },
    { id: 'c', setor: '4' },
  ]);
  const [{ folder }] = await database.admin<[{ folder: string }]>`
    select current_setting('data_directory') as folder`;
  await cluster.stop();
  await run('cp', ['-a', folder, `${folder}.copy`]);
  await cluster.start();

  let server = await startTestServer(database, {}, { limits: FAULT_LIMITS });
  onTestFinished(() => server.stop());
  let aheadMs = 0;
  const clock = (): ReturnType<typeof pageClock> => {
    const { monotonicMs, wallMs } = pageClock();
    return { monotonicMs: monotonicMs + aheadMs, wallMs: wallMs + aheadMs };
  };
  const screen = openScreen(server.url, { clock });
  onTestFinished(() => screen.close());
  await setEntered(database.gates, 'b', true);
  await setEntered(database.gates, 'c', true);
  await until(() => expect([screen.live, screen.board.shown?.admissions.total]).toEqual([true, 3]));
  const shown = screen.board.shown?.id ?? '';

  await cluster.stop();
  await run('rm', ['-rf', folder]);
  await run('mv', [`${folder}.copy`, folder]);
  await cluster.start();
  await until(() =>
    expect(server.logged.map(({ reason }) => reason).join('\n')).toMatch(
      /^The log of the database stands at \d+\.\w+, before \d+\.\w+, which the screens have seen: name the server/m,
    ),
  );
  expect([screen.live, screen.board.shown?.id]).toEqual([false, shown]);

  // Started anew, the server knows of nothing later. The page does, until it cannot be that the server is behind.
  const { port } = new URL(server.url);
  await server.stop();
  server = await startTestServer(database, { PORT: port }, { limits: FAULT_LIMITS });
  await until(() => expect(screen.board.connection.held).toBeDefined(), 20_000);
  expect(screen.board.shown?.id).toBe(shown);
  aheadMs = 16_000;
  await until(() => expect([screen.live, screen.board.shown?.admissions.total]).toEqual([true, 1]), 20_000);
  expect(isEarlier(positionOf(screen.board.shown?.id ?? ''), positionOf(shown))).toBe(true);
});
