import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { startTestCluster, type TestCluster } from '../../testing/cluster.ts';
import { duration, LIVE_WITHIN_MS, STALE_WITHIN_MS } from '../../testing/durations.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { startTestBoard, type TestBoard } from '../../testing/test-board.ts';
import { unhinderedNow } from '../../testing/unhindered-time.ts';
import { until } from '../../testing/until.ts';

let cluster: TestCluster;
let board: TestBoard;

beforeEach(async () => {
  cluster = await startTestCluster();
  board = await startTestBoard({ database: cluster.database });
});

/** Injects the fault while gates write; `restore` lets the database answer again. */
async function expectSurvival(fault: () => Promise<void>, restore: () => Promise<void>): Promise<void> {
  const { screen, epoch } = board;
  const stopWriting = board.startWriting();
  const faultAtMs = unhinderedNow();
  await fault();
  await until(() => expect(screen.live).toBe(false), STALE_WITHIN_MS - (unhinderedNow() - faultAtMs));
  await restore();
  await cluster.answersAgain();
  const stopwatch = board.startStopwatch();
  await board.liveUnderNewEpoch(epoch);
  expect(await stopwatch.elapsedMs()).toBeLessThan(LIVE_WITHIN_MS);
  await stopWriting();
  await board.expectExact();
  await board.close();
}

test('PostgreSQL is restarted: stale, live again within 2 s after it answers, under a new epoch, exact', async () => {
  // Else its last one would be what takes long.
  await cluster.database.admin`checkpoint`;
  await expectSurvival(
    async () => {
      const processes = await cluster.processes();
      const stopwatch = startStopwatch({ pids: () => processes });
      await cluster.stop();
      // It waits for us to confirm the end of its log: an observer that does not would hold it up.
      expect(await stopwatch.elapsedMs()).toBeLessThan(2_000);
    },
    () => cluster.start(),
  );
});

test('every process of PostgreSQL is killed with SIGKILL: stale, live again within 2 s after it answers, exact', async () => {
  await expectSurvival(
    () => cluster.signalAll('SIGKILL'),
    () => cluster.start(),
  );
});

test('every process of PostgreSQL stands still for 40 s: stale within 15 s, live again within 2 s, exact', async () => {
  const stoppedMs = duration(40_000, 5_000);
  await expectSurvival(
    () => cluster.signalAll('SIGSTOP'),
    async () => {
      await pause(stoppedMs);
      expect(board.server.logged.map(({ reason }) => reason).join('\n')).toMatch(
        /does not answer|went silent|behind/,
      );
      await cluster.signalAll('SIGCONT');
    },
  );
});
