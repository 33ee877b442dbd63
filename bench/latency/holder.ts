import type postgres from 'postgres';
import { recount } from '../../testing/database/oracle.ts';
import type { TimedTotal } from '../support/delays.ts';

/** Whoever is to know of admissions: a client of a contender, or a screen. */
export interface Holder {
  /** Waits until it has a total of so many, and takes what it has had since the last call. */
  arrivalsUpTo(total: number): Promise<readonly TimedTotal[]>;
  /** What has come on its connection so far; NaN where nobody can tell. */
  bytes(): Promise<number>;
  /** By how much its clock is ahead of ours for sure. Rejects when it cannot be told well. */
  clockAheadMs(): Promise<number>;
  /** Absent: it is told no sectors. */
  newest(): Promise<{ readonly total: number; readonly sectors?: Readonly<Record<string, number>> }>;
}

/** While the gates rest: throws unless what it has is what SQL counts. */
export async function assertRight(holder: Holder, sql: postgres.Sql): Promise<void> {
  const { total, sectors } = await holder.newest();
  const truth = await recount(sql);
  const wrong = Object.entries(truth.sectors).filter(([code, count]) => count !== (sectors?.[code] ?? 0));
  if (total !== truth.total || (sectors && wrong.length > 0))
    throw new Error(
      `Wrong counts: ${JSON.stringify({ total, sectors })}, and SQL counts ${JSON.stringify(truth)}`,
    );
}
