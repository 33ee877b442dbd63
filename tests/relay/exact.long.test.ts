import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isEarlier } from '../../domain/log-position.ts';
import { positionOf } from '../../domain/live-message.ts';
import { startEdge, startFleetBoard, untilFollowing } from '../../testing/fleet.ts';
import { openScreen } from '../../testing/screen.ts';
import { until } from '../../testing/until.ts';

const SWITCHES = 8;
const STATES = 60;

test('invariants 3, 5 and 6: under 200 commits a second, with reconnects to database and NATS, what two edges show of two counters is exact, in order, and of one epoch', async () => {
  const board = await startFleetBoard({ servers: 2 });
  const { nats, database, edge } = board;
  const other = await startEdge(nats, { env: { NODE_NAME: 'e2' } });
  await untilFollowing(other, 'c1', 'c2');
  const ids: string[][] = [[], []];
  const screens = [edge, other].map(({ url }, index) =>
    openScreen(url, {
      onReceived({ shown }) {
        if (shown && shown.id !== ids[index]?.at(-1)) ids[index]?.push(shown.id);
      },
    }),
  );
  await until(() => expect(screens.map(({ live }) => live)).toEqual([true, true]));
  board.startWriting(5);
  const states = (): number => Math.min(...ids.map(({ length }) => length));
  for (let round = 0; round < SWITCHES || states() < STATES; round += 1) {
    await pause(300);
    if (round % 2 === 0) await database.terminate('walsender');
    else {
      const server = nats.servers[round % 4 === 1 ? 0 : 1];
      await server?.kill();
      await pause(100);
      await server?.start();
    }
  }
  await board.expectExact(15_000, [board.screen, ...screens]);
  for (const shown of ids) {
    const backwards = shown.filter((id, n) => isEarlier(positionOf(id), positionOf(shown[n - 1] ?? id)));
    expect(backwards).toEqual([]);
  }
  expect(new Set(ids.flat().map((id) => id.split(':')[0])).size).toBe(1);
});
