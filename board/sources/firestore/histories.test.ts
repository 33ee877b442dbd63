import fc from 'fast-check';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import type { Ticket } from '../../../domain/tally.ts';
import { startFirestoreStandIn } from '../../../testing/firestore/stand-in.ts';
import { openWatchedProject } from '../../../testing/firestore/watched-project.ts';
import { repetitions } from '../../../testing/durations.ts';
import { openForAll } from '../../../testing/open-for-tests.ts';

const standIn = openForAll(() => startFirestoreStandIn());

const ticket: fc.Arbitrary<Ticket> = fc.record({
  isValidTicket: fc.boolean(),
  entrou: fc.boolean(),
  setor: fc.constantFrom('4', '11', ''),
});
const commit = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  fc.option(ticket, { nil: undefined }),
  { minKeys: 1, maxKeys: 4 },
);
const EVENTS = ['cut', 'end', 'reset', 'expire', 'remove', 'filter', 'half', 'silence'] as const;
const step = fc.oneof(
  { weight: 4, arbitrary: commit.map((tickets) => ({ tickets })) },
  { weight: 1, arbitrary: fc.constantFrom(...EVENTS).map((event) => ({ event })) },
  { weight: 1, arbitrary: fc.constant({ look: true }) },
);

test('whatever is written and whatever happens to its streams, a source is exact and never goes back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const project = await openWatchedProject(standIn);
      const { network } = project.driver;
      const { faults } = standIn;
      const act: Record<(typeof EVENTS)[number], () => void> = {
        cut: () => (network.cut(), setTimeout(() => network.restore(), 30)),
        end: () => faults.endStreams(status.UNAVAILABLE),
        reset: () => faults.resetTargets(),
        expire: () => (faults.expireResumeTokens(), faults.endStreams(status.ABORTED)),
        remove: () => faults.removeTargets(status.RESOURCE_EXHAUSTED),
        filter: () => faults.mismatchFilters(1, true),
        half: () => faults.sendHalfMessage(),
        silence: () => (faults.silence('open-for-ever'), network.cut(), network.restore()),
      };
      const one = project.watch({ maxRefusedDelayMs: 100, tokenUseMs: 400, sectorCheckEveryMs: 50 });
      for (const next of steps) {
        if ('tickets' in next) await project.commit(next.tickets);
        else if ('look' in next) await one.expectExact();
        else act[next.event]();
      }
      faults.mismatchFilters(0);
      await one.expectExact();
      expect(one.observer.breaches).toEqual([]);
      await one.stop();
    }),
    { numRuns: repetitions(60, 3) },
  );
});
