import { expect, test } from 'vitest';
import { closeOnce } from '../../../testing/close-once.ts';
import { startEdge, startFleetBoard, untilFollowing } from '../../../testing/fleet.ts';
import { freePort } from '../../../testing/free-port.ts';
import { openScreen, type Screen } from '../../../testing/screen.ts';
import type { ServerProcess } from '../../../testing/server.ts';
import { until } from '../../../testing/until.ts';
import { startBalancer } from './balancer.ts';

const SCREENS = 8;
const LIVE_WITHIN_MS = 3_000;

const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port);

test('without nginx: an edge is killed, and one stands still: every screen is live again within 3 s, exact', async () => {
  const board = await startFleetBoard();
  const startOther = (port?: number) =>
    startEdge(board.nats, { ...(port !== undefined && { port }), env: { NODE_NAME: 'e2' } });
  let other = await startOther();
  await untilFollowing(other, 'c1', 'c2');
  const port = await freePort();
  closeOnce(await startBalancer({ host: '127.0.0.1', port }, [portOf(board.edge), portOf(other)]));
  const screens = Array.from({ length: SCREENS }, () => openScreen(`http://127.0.0.1:${port}`));
  await until(() => expect(screens.filter(({ live }) => !live)).toEqual([]));
  board.startWriting();

  const lose = async (how: () => unknown): Promise<void> => {
    const lostAtMs = performance.now();
    const total = Math.max(...screens.map((screen) => screen.total ?? 0));
    const stopwatch = board.startStopwatch();
    await how();
    const noticed = (): readonly Screen[] =>
      screens.filter(({ displayed }) => displayed.some(({ atMs, live }) => !live && atMs > lostAtMs));
    await until(() => expect(noticed()).not.toEqual([]));
    await until(() =>
      expect(screens.filter((screen) => (screen.total ?? 0) <= total || !screen.live)).toEqual([]),
    );
    expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
  };
  await lose(() => other.end('SIGKILL'));
  other = await startOther(portOf(other));
  await untilFollowing(other, 'c1', 'c2');
  await lose(() => board.edge.child.kill('SIGSTOP'));
  board.edge.child.kill('SIGCONT');
  await board.expectExact(15_000, [board.screen, ...screens]);
});
