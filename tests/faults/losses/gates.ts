import { setTimeout as pause } from 'node:timers/promises';
import type { TestDatabase } from '../../../testing/database/database.ts';
import { writeAtRandom } from '../../../testing/database/random-changes.ts';

const GATES = 3;
/** Not every change at random finds a ticket. */
const CHANGES_PER_COMMIT = 1.7;

/** Gates that write random changes, at a constant number of commits a second, however long each takes. */
export interface Gates {
  stop(): Promise<void>;
}

/** `database`: the one that leads, which may be another one at each look. What it does not take is left out. */
export function startGates(database: () => Pick<TestDatabase, 'gates'>, commitsPerSecond: number): Gates {
  const perSecond = (commitsPerSecond * CHANGES_PER_COMMIT) / GATES;
  const stopping = new AbortController();
  const sinceMs = performance.now();
  const gates = Array.from({ length: GATES }, async () => {
    for (let begun = 0; !stopping.signal.aborted;) {
      const due = Math.floor(((performance.now() - sinceMs) * perSecond) / 1_000) - begun;
      begun += due;
      const pauseMs = 500 / perSecond;
      if (due > 0) await writeAtRandom(database(), due, { pauseMs }).catch(() => {});
      await pause(50);
    }
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all(gates);
    },
  };
}
