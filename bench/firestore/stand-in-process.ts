import { type FirestoreStandIn, startFirestoreStandIn } from '../../testing/firestore/stand-in.ts';
import { serveRpc } from '../../testing/server/rpc.ts';
import { clockMs } from '../support/clock.ts';
import type { TimedTotal } from '../support/delays.ts';
import { pace } from '../support/pace.ts';
import { randomGaps } from '../support/random-gaps.ts';
import type { Load } from './place.ts';
import { commitsOf, PROJECT, type Sale, ticketData, ticketPath } from './sale.ts';

/** The process of a stand-in for Firestore, and of the gates that let holders in at it. */

let standIn: FirestoreStandIn | undefined;
let entered = 0;

serveRpc({
  async sell(sale: Sale): Promise<string> {
    standIn = await startFirestoreStandIn();
    entered = sale.entered;
    for (const documents of commitsOf(sale)) standIn.commit(PROJECT, documents);
    return standIn.host;
  },
  reads: () => standIn?.reads ?? 0,
  /** One commit for each holder: when each was made, and how many had entered with it. */
  async admit({ perSecond, durationMs, seed }: Load): Promise<TimedTotal[]> {
    const { signal } = new AbortController();
    const times = Math.round((perSecond * durationMs) / 1_000);
    return pace({ gapMs: randomGaps(perSecond, seed), times, signal }, async () => {
      entered += 1;
      const admission = { total: entered, atMs: clockMs() };
      standIn?.commit(PROJECT, new Map([[ticketPath(entered), { ...ticketData(entered, true) }]]));
      return admission;
    });
  },
});
