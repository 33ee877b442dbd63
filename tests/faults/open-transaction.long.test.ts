import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OBSERVING_LIMITS } from '../../board/sources/postgres/limits.ts';
import { startTestCluster } from '../../testing/database/cluster.ts';
import { setEntered } from '../../testing/database/database.ts';
import { duration, FAULT_LIMITS, LIVE_WITHIN_MS, STALE_WITHIN_MS } from '../../testing/durations.ts';
import { openForAll } from '../../testing/open-for-tests.ts';
import { openScreen } from '../../testing/browser/screen.ts';
import { startTestBoard } from '../../testing/server/test-board.ts';
import { readiness, reasonsOf, startTestServer, type TestServer } from '../../testing/server/test-server.ts';
import { unhinderedNow, until } from '../../testing/until.ts';

const OPEN_MS = duration(120_000, 2_500);
const TIME = { timeout: OPEN_MS + 60_000 };
const WAITS = /Waiting for a transaction that writes to end: process \d+ of role triagem_gates/;

// A slot waits for the transactions of the whole cluster: those of other tests, and ours would hold up theirs.
const cluster = openForAll(startTestCluster);
const board = openForAll(() => {
  const { silenceMs, walSenderTimeoutMs } = OBSERVING_LIMITS;
  // Who has no processor for a moment must not lose its session: the next one waits for the transaction, as it should.
  const limits = { ...FAULT_LIMITS, silenceMs, walSenderTimeoutMs };
  return startTestBoard({ database: cluster.database, overrides: { limits } });
});

/** A gate system that has let `id` in and does not commit, until the returned function is called. */
async function letInWithoutCommit(id: string): Promise<() => Promise<void>> {
  const writer = await board.database.gates.reserve();
  await writer`begin`;
  await setEntered(writer, id, true);
  return async () => {
    await board.oracle.write(1, () => writer`commit`);
    writer.release();
  };
}

/** The server says why, all the time that the transaction is open. */
async function expectWaiting(server: TestServer): Promise<void> {
  const untilMs = performance.now() + OPEN_MS;
  await until(() => expect(reasonsOf(server)).toMatch(WAITS));
  while (performance.now() < untilMs) {
    expect(await readiness(server)).toEqual({ status: 503, text: expect.stringMatching(WAITS) });
    await pause(250);
  }
  // One line per reason, not one per attempt or second.
  expect(server.logged.filter(({ reason }) => WAITS.test(String(reason)))).toHaveLength(1);
}

test(
  'a transaction that writes stays open for 2 minutes while the server starts: "carregando...", the reason is told, then live and exact',
  TIME,
  async () => {
    const commit = await letInWithoutCommit('t1');
    const cold = await startTestServer(board.database, {}, { limits: FAULT_LIMITS });
    const coldScreen = openScreen(cold.url);
    await expectWaiting(cold);
    expect(coldScreen.board.signedIn).toBe(true);
    expect(coldScreen.board.shown).toBeUndefined();
    // The server that was there before is not held up.
    await until(() => expect(board.screen.live).toBe(true));
    await commit();
    const stopwatch = board.startStopwatch();
    await until(() => expect(coldScreen.live).toBe(true));
    expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
    await board.expectExact(15_000, [coldScreen, board.screen]);
    expect((await readiness(cold)).status).toBe(200);
  },
);

test(
  'a transaction that writes stays open for 2 minutes while the server reconnects: the last counts as stale, the reason is told, then live and exact',
  TIME,
  async () => {
    const { database, screen, oracle, epoch } = board;
    await oracle.write(1, () => setEntered(database.gates, 't2', true));
    const inBefore = oracle.total;
    await until(() => expect(screen.total).toBe(inBefore));
    const commit = await letInWithoutCommit('t3');
    const cutAtMs = unhinderedNow();
    await database.terminate('walsender');
    await until(() => expect(screen.live).toBe(false));
    expect(unhinderedNow() - cutAtMs).toBeLessThan(STALE_WITHIN_MS);
    // Others go on, and their commits are not shown either.
    await oracle.write(1, () => setEntered(database.gates, 't4', true));
    await expectWaiting(board.server);
    const { shown, status } = screen.board;
    expect(status).toMatchObject({ kind: 'no-source' });
    expect('ageMs' in status && status.ageMs).toBeGreaterThan(OPEN_MS - 2_000);
    expect(shown?.counts.total).toBe(inBefore);
    await commit();
    await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
    await board.expectExact();
  },
);

test('transactions that write, each open for half a second and each begun before the last one ends, hold nobody up for long', async () => {
  const { database, epoch } = board;
  const writing = new AbortController();
  const overlapping = (async () => {
    const open: Promise<void>[] = [];
    for (let n = 10; !writing.signal.aborted; n += 1) {
      const commit = await letInWithoutCommit(`t${n}`);
      open.push(pause(500).then(commit));
      await pause(200);
    }
    await Promise.all(open);
  })();
  await pause(600);
  const stopwatch = board.startStopwatch();
  await database.terminate('walsender');
  // A slot waits for those that were open when it looked, twice; never for later ones.
  await board.expectNewEpoch(epoch);
  expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS + 2 * 500);
  writing.abort();
  await overlapping;
  await board.expectExact();
});
