import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Admission } from './contender.ts';
import { letIn } from './load.ts';

const LOAD = { perSecond: 100, windowS: 0.1, seed: 1 };
const { signal } = new AbortController();

/** Sends the first `sent` at once, and the others never. */
function senderOf(sent: number): { enter: (over: AbortSignal) => Promise<Admission> } {
  let total = 0;
  return {
    async enter(over) {
      total += 1;
      const admission = { total, atMs: performance.now(), isSent: total <= sent };
      if (!admission.isSent && !over.aborted) await once(over, 'abort');
      return admission;
    },
  };
}

test('what a server cannot send while holders come, or soon after, is given up and told', async () => {
  const { admissions, tookS } = await letIn(senderOf(4), LOAD, signal);
  expect(admissions.map(({ total, isSent }) => [total, isSent])).toEqual(
    Array.from({ length: 10 }, (_, index) => [index + 1, index < 4]),
  );
  expect(tookS).toBeGreaterThanOrEqual(1);
});

test('a server that keeps up has sent all', async () => {
  const { admissions } = await letIn(senderOf(10), LOAD, signal);
  expect(admissions.filter(({ isSent }) => !isSent)).toEqual([]);
});
