import fc from 'fast-check';
import { test } from 'vitest';
import { duration } from '../../../testing/durations.ts';
import { openFaultModel, type Step, type StepKind, STEPS } from '../../../testing/sources/fault-model.ts';

/** Spectators come in more often than anything else happens. */
const OFTEN: readonly StepKind[] = ['insert', 'insert', 'enter', 'enter', 'revert', 'changeSectorsBeside'];

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...STEPS, ...OFTEN, ...OFTEN),
  size: fc.integer({ min: 1, max: 40 }),
  salt: fc.nat(1_000_000),
  pauseMs: fc.constantFrom(0, 0, 5, 50),
});
const anyHistory = fc.array(anyStep, { minLength: 10, maxLength: 40, size: 'max' });

/** TRIAGEM_SEED repeats a history that has failed. */
const SEED = Number(process.env['TRIAGEM_SEED'] ?? 20_250_326);

test('after any history of writers, faults and viewers every screen equals a recount, and none has shown a lie', async () => {
  const board = await openFaultModel();
  const untilMs = performance.now() + duration(600_000, 10_000);
  let histories = 0;
  for (let seed = SEED; performance.now() < untilMs; seed += 1) {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        for (const step of history) await board.take(step);
        await board.expectExact();
      }),
      // What has happened to the board cannot be undone: nothing can be shrunk.
      { seed, numRuns: 1, endOnFailure: true },
    );
    histories += 1;
  }
  console.info(`${histories} histories`, board.taken);
  await board.close();
}, 700_000);
