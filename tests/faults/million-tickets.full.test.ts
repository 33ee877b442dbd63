import { expect, test } from 'vitest';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { DESK_KEY } from '../../testing/desk/desk-app.ts';
import { FAULT_LIMITS } from '../../testing/durations.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { openScreen, type Screen } from '../../testing/browser/screen.ts';
import type { ServerProcess } from '../../testing/server/server.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { reasonsOf, startServerProcess } from '../../testing/server/test-server.ts';
import { until } from '../../testing/until.ts';

const TICKETS = 1_000_000;

/** What a server in the field may need to show a commit before its counts are stale: 5 s, and one check. */
const LAG_MS = 7_500;

// Transactions as long as these hold up every new slot of their cluster.
const cluster = openForEach(startTestCluster);

test(
  'many tickets are imported, entered, then truncated, each in one transaction, with screens open: exact, stale while it lags, memory within 100 MB and given back',
  { timeout: 300_000 },
  async () => {
    let server: ServerProcess | undefined;
    const board = await startTestBoard({
      database: cluster.database,
      tickets: 10,
      startServer: async (url) =>
        (server = await startServerProcess(url, {
          env: { DESK_KEY, RECORD_DATABASE_URL: cluster.database.recordUrl },
        })),
    });
    const { database, oracle, screen } = board;
    const screens = [screen, ...Array.from({ length: 4 }, () => openScreen(board.server.url))];
    await board.expectExact(15_000, screens);
    const memoryMb = (): number => server?.usage.memoryMb() ?? 0;
    const beforeMb = memoryMb();
    let mostMb = beforeMb;
    const watching = setInterval(() => (mostMb = Math.max(mostMb, memoryMb())), 50);

    /** A transaction that is shown by all screens before long; whoever shows it late was stale before. */
    const write = async (change: number, transaction: () => Promise<unknown>): Promise<void> => {
      await oracle.write(change, transaction);
      const committedAtMs = performance.now();
      await board.expectExact(60_000, screens);
      if (change !== 0) expectStaleWhileLagging(screens, oracle.total, committedAtMs);
    };
    const insert = () => database.gates`
      insert into tickets select ${DEFAULT_EVENT_ID}, 'm' || n, true, false, (1 + n % 9)::text
      from generate_series(1, ${TICKETS}) n`;
    await write(0, insert);
    await write(TICKETS, () => database.gates`update tickets set entrou = true where id ~ '^m'`);
    await write(-TICKETS, () => database.admin`truncate tickets`);

    clearInterval(watching);
    // With a desk they are lots: in the count, and in no rate.
    await until(async () =>
      expect(
        await database.admin`
          select sum((data ->> 'count')::int)::int as count from triagem.log where kind = 'lot'
          group by (data ->> 'count')::int > 0 order by 1`,
      ).toEqual([{ count: -TICKETS }, { count: TICKETS }]),
    );
    expect(mostMb - beforeMb).toBeLessThan(100);
    await until(() => expect(memoryMb() - beforeMb).toBeLessThan(50), 30_000);
  },
);

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
  const insert = () => database.gates`
    insert into tickets select ${DEFAULT_EVENT_ID}, 'm' || n, true, true, '8' from generate_series(1, 100000) n`;
  await oracle.write(100_000, insert);
  await until(() => expect(reasonsOf(server)).toMatch(/s behind/));
  await board.expectExact();
  expect(board.screen.displayed.some(({ live }) => !live)).toBe(true);
});
