import type postgres from 'postgres';
import type { Scope } from '../benchmark.ts';
import { clockMs } from './clock.ts';
import { openSql } from './database.ts';
import { pace } from './pace.ts';
import { randomGaps } from './random-gaps.ts';
import { admit } from './tickets.ts';

interface Load {
  /** Tickets from this number on have not entered. */
  readonly firstTicket: number;
  /** The last of them. */
  readonly lastTicket: number;
  readonly durationMs: number;
  /** How many holders come; absent: as many as the gates can take, until the tickets are used up. */
  readonly perSecond?: number | undefined;
  /** Of the gaps between them. */
  readonly seed?: number;
}

/** What the gates did. */
export interface Admitted {
  /** When each commit was acknowledged to its gate, by the machine's clock, in this order. */
  readonly acknowledgedAtMs: readonly number[];
  /** Of each: from the holder's coming to the acknowledgement. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}

/** The library's types do not know this option of it. */
const NO_PIPELINE: object = { max_pipeline: 0 };

/**
 * A connection for each gate, so that so many commits are under way at once. A holder who finds no gate free waits in the
 * library's queue, not behind another one's commit.
 */
export function connectGates(scope: Scope, url: string, count: number): postgres.Sql {
  return openSql(scope, url, { max: count, ...NO_PIPELINE });
}

/** Gates that let holders in by one commit each: one load at a time. */
type LetIn = (load: Load) => Promise<Admitted>;

/** Resolves once all are connected. */
export async function openGates(scope: Scope, url: string, count: number): Promise<LetIn> {
  const gates = connectGates(scope, url, count);
  const atEveryGate = (work: () => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, work));
  await atEveryGate(async () => gates`select 1`);
  return async ({ firstTicket, lastTicket, durationMs, perSecond, seed = 1 }) => {
    const startedAtMs = performance.now();
    const acknowledgedAtMs: number[] = [];
    const latenciesMs: number[] = [];
    let nextTicket = firstTicket;
    const admitNext = async (): Promise<void> => {
      const cameAtMs = performance.now();
      nextTicket += 1;
      await admit(gates, nextTicket - 1);
      acknowledgedAtMs.push(clockMs());
      latenciesMs.push(performance.now() - cameAtMs);
    };
    if (perSecond === undefined) {
      // A closed model: there is always somebody at every gate.
      const isOver = (): boolean => nextTicket > lastTicket || performance.now() - startedAtMs > durationMs;
      await atEveryGate(async () => {
        while (!isOver()) await admitNext();
      });
    } else {
      // An open model: holders come at random.
      const times = (perSecond * durationMs) / 1_000;
      await pace({ gapMs: randomGaps(perSecond, seed), times, signal: scope.signal }, admitNext);
    }
    return { acknowledgedAtMs, latenciesMs, elapsedMs: performance.now() - startedAtMs };
  };
}
