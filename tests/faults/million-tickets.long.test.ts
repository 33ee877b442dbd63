import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { startTestCluster, type TestCluster } from '../../testing/cluster.ts';
import { FAULT_LIMITS, IS_FULL } from '../../testing/durations.ts';
import { openScreen, type Screen } from '../../testing/screen.ts';
import type { ServerProcess } from '../../testing/server.ts';
import { startTestBoard } from '../../testing/test-board.ts';
import { startServerProcess } from '../../testing/test-server.ts';
import { until } from '../../testing/until.ts';

const TICKETS = IS_FULL ? 1_000_000 : 300_000;

/** What a server in the field may need to show a commit before its counts are stale: 5 s, and one check. */
const LAG_MS = 7_500;

let cluster: TestCluster;

// Transactions as long as these hold up every new slot of their cluster.
beforeEach(async () => {
  cluster = await startTestCluster();
});

test(
  'many tickets are imported, entered, then truncated, each in one transaction, with screens open: exact, stale while it lags, memory within 100 MB and given back',
  { timeout: 300_000 },
  async () => {
    let server: ServerProcess | undefined;
    const board = await startTestBoard({
      database: cluster.database,
      tickets: 10,
      startServer: async (url) => (server = await startServerProcess(url)),
    });
    const { database, oracle, screen } = board;
    const screens = [screen, ...Array.from({ length: 4 }, () => openScreen(board.server.url))];
    await board.expectExact(15_000, screens);
    const memoryMb = (): number => server?.usage.memoryMb() ?? 0;
    const beforeMb = memoryMb();
    let mostMb = beforeMb;
    const watching = setInterval(() => (mostMb = Math.max(mostMb, memoryMb())), 50);

    await oracle.write(
      0,
      () => database.gates`
        insert into tickets select ${DEFAULT_EVENT_ID}, 'm' || n, true, false, (1 + n % 9)::text
        from generate_series(1, ${TICKETS}) n`,
    );
    await board.expectExact(60_000, screens);
    const enteredAtMs = await commit(() =>
      oracle.write(TICKETS, () => database.gates`update tickets set entrou = true where id ~ '^m'`),
    );
    await board.expectExact(60_000, screens);
    expectStaleWhileLagging(screens, TICKETS, enteredAtMs);
    const truncatedAtMs = await commit(() => oracle.write(-TICKETS, () => database.admin`truncate tickets`));
    await board.expectExact(60_000, screens);
    expectStaleWhileLagging(screens, 0, truncatedAtMs);

    clearInterval(watching);
    expect(mostMb - beforeMb).toBeLessThan(100);
    await until(() => expect(memoryMb() - beforeMb).toBeLessThan(50), 30_000);
    for (const each of screens) each.close();
    await board.close();
  },
);

/** Returns when the transaction was acknowledged. */
async function commit(transaction: () => Promise<unknown>): Promise<number> {
  await transaction();
  return performance.now();
}

/** Whoever showed the commit late was stale before. */
function expectStaleWhileLagging(screens: readonly Screen[], total: number, committedAtMs: number): void {
  for (const { displayed } of screens) {
    const after = displayed.filter(({ atMs }) => atMs > committedAtMs);
    const arrived = after.find((showing) => showing.total === total);
    if (!arrived || arrived.atMs - committedAtMs < LAG_MS) continue;
    expect(after.some(({ atMs, live }) => !live && atMs < arrived.atMs)).toBe(true);
  }
}

test('a commit of many tickets that takes longer than counts may be old: stale with the reason, until they are exact', async () => {
  const board = await startTestBoard({
    database: cluster.database,
    overrides: { limits: { ...FAULT_LIMITS, staleAfterMs: 150, checkEveryMs: 100 } },
  });
  const { database, oracle, server } = board;
  await oracle.write(
    100_000,
    () => database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'm' || n, true, true, '8' from generate_series(1, 100000) n`,
  );
  await until(() => expect(server.logged.map(({ reason }) => reason).join('\n')).toMatch(/s behind/));
  await board.expectExact();
  expect(board.screen.displayed.some(({ live }) => !live)).toBe(true);
  await board.close();
});
