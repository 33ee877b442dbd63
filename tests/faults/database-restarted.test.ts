import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestCluster } from '../../testing/cluster.ts';
import { duration, LIVE_WITHIN_MS, STALE_WITHIN_MS } from '../../testing/durations.ts';
import { openForEach } from '../../testing/open-for-tests.ts';
import { startStopwatch } from '../../testing/stopwatch.ts';
import { startTestBoard } from '../../testing/test-board.ts';
import { reasonsOf } from '../../testing/test-server.ts';
import { unhinderedNow, until } from '../../testing/until.ts';

const cluster = openForEach(startTestCluster);
const board = openForEach(() => startTestBoard({ database: cluster.database }));

/** Injects the fault while gates write; `restore` lets the database answer again. */
async function expectSurvival(fault: () => Promise<void>, restore: () => Promise<void>): Promise<void> {
  const { screen, epoch } = board;
  board.startWriting();
  const faultAtMs = unhinderedNow();
  await fault();
  await until(() => expect(screen.live).toBe(false), STALE_WITHIN_MS - (unhinderedNow() - faultAtMs));
  await restore();
  await cluster.answersAgain();
  await board.expectNewEpoch(epoch, LIVE_WITHIN_MS);
  await board.expectExact();
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
  await expectSurvival(
    () => cluster.signalAll('SIGSTOP'),
    async () => {
      await pause(duration(40_000, 5_000));
      expect(reasonsOf(board.server)).toMatch(/does not answer|went silent|behind/);
      await cluster.signalAll('SIGCONT');
    },
  );
});
