import type { ProcessUsage } from '../../testing/server/process-usage.ts';
import type { TimedTotal } from '../support/delays.ts';

/** What screens have shown: of each, every total and when it came. */
export interface Screens {
  /** The server's process, or that of a screen where there is no server. */
  readonly usages: readonly ProcessUsage[];
  /** Of one screen: until it had all counts, what it was sent, and what was read for it. */
  readonly first: { readonly tookMs: number; readonly bytes: number; readonly documents: number };
  /** The newest total of each; clients of one server stand for each other. */
  totals(): Promise<readonly number[]>;
  /** The newest counts of each; who has fallen behind does not answer. */
  newest(): Promise<readonly Counts[]>;
  /** Of each screen, what has come since the last call. */
  takeArrivals(): Promise<readonly (readonly TimedTotal[])[]>;
}

export interface Counts {
  readonly total: number;
  readonly sectors: Readonly<Record<string, number>>;
}
