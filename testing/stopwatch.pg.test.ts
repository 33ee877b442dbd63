import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestDatabase, setEntered } from './database/database.ts';
import { FAULT_LIMITS } from './durations.ts';
import { startTestBoard } from './server/test-board.ts';

test('what a replication slot waits for the transaction of another test is taken off, and nothing else', async () => {
  // One wait, not one after the other.
  const limits = { ...FAULT_LIMITS, slotPatienceMs: 20_000 };
  const board = await startTestBoard({ overrides: { limits } });
  const another = await createTestDatabase({ outside: { a: '4' } });
  const { database, epoch } = board;
  const writer = await another.gates.reserve();
  await writer`begin`;
  await setEntered(writer, 'a', true);
  const stopwatch = board.startStopwatch();
  const begunMs = performance.now();
  await database.terminate('walsender');
  await pause(2_000);
  await writer`commit`;
  writer.release();
  await board.expectNewEpoch(epoch);
  const tookMs = await stopwatch.elapsedMs();
  expect(performance.now() - begunMs).toBeGreaterThan(2_000);
  expect(tookMs).toBeLessThan(1_500);
});
