import { startFirestoreEmulator } from '../../testing/firestore/emulator.ts';
import { openServerClient } from '../../testing/firestore/server-client.ts';
import type { Scope } from '../benchmark.ts';
import { startProgram } from '../support/child-program.ts';
import { clockMs } from '../support/clock.ts';
import type { TimedTotal } from '../support/delays.ts';
import { pace } from '../support/pace.ts';
import { randomGaps } from '../support/random-gaps.ts';
import { closeKitWith } from './close-kit.ts';
import { commitsOf, PROJECT, type Sale, ticketPath } from './sale.ts';

/** Holders who come at random, each in a commit of its own. */
export interface Load {
  readonly perSecond: number;
  readonly durationMs: number;
  readonly seed: number;
}

/** Where the tickets are: the stand-in for Firestore, or Google's emulator. */
export interface Place {
  readonly host: string;
  /** How many documents have been read of it, as Firestore bills them; NaN where nobody counts. */
  reads(): Promise<number>;
  /** Lets holders in. Returns when each commit was made, or acknowledged by the emulator, in this order. */
  admit(load: Load): Promise<readonly TimedTotal[]>;
}

/** Starts a stand-in in a process of its own, in which the gates are, too: an admission is a commit when it has it. */
export async function startStandIn(scope: Scope, sale: Sale): Promise<Place> {
  const { call } = startProgram(scope, '../firestore/stand-in-process.js');
  return {
    host: await call<string>('sell', sale),
    reads: () => call<number>('reads'),
    admit: (load) => call<TimedTotal[]>('admit', load),
  };
}

/** Starts the emulator. Gates write with Google's server library, from this process. */
export async function startEmulator(scope: Scope, sale: Sale): Promise<Place> {
  closeKitWith(scope);
  const { host } = await startFirestoreEmulator();
  const gates = openServerClient(host, PROJECT);
  for (const documents of commitsOf(sale)) {
    scope.signal.throwIfAborted();
    const batch = gates.batch();
    for (const [path, fields] of documents) batch.set(gates.doc(path), fields);
    await batch.commit();
  }
  let { entered } = sale;
  return {
    host,
    reads: async () => NaN,
    async admit({ perSecond, durationMs, seed }) {
      const first = entered;
      let next = first;
      const acknowledgedAtMs: number[] = [];
      const times = Math.round((perSecond * durationMs) / 1_000);
      await pace({ gapMs: randomGaps(perSecond, seed), times, signal: scope.signal }, async () => {
        next += 1;
        await gates.doc(ticketPath(next)).update({ entrou: true });
        acknowledgedAtMs.push(clockMs());
      });
      entered = next;
      // The n-th to be acknowledged is counted for sure by a total that is n more than before.
      return acknowledgedAtMs.map((atMs, index) => ({ total: first + index + 1, atMs }));
    },
  };
}
