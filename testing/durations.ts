import { LIVE_AGE_MS } from '../domain/freshness.ts';
import { OBSERVING_LIMITS, type ObservingLimits } from '../board/sources/postgres/limits.ts';

const SCOPE = process.env['TRIAGEM_TEST_SCOPE'];

/** `npm run test:full` takes the durations as they are in the field; every other run shortens them. */
export const IS_FULL = SCOPE === 'full';

/** How often a test repeats what it does: `often` in a full run only. */
export function repetitions(often: number, few: number): number {
  return IS_FULL ? often : few;
}

/** `full` in a full run, else `short`; both in milliseconds. */
export function duration(full: number, short: number): number {
  return IS_FULL ? full : short;
}

/** A fault of the database shows on every screen within this. */
export const STALE_WITHIN_MS = duration(LIVE_AGE_MS, 4_000);

/** Screens are live this long after the database answers again, at the latest. */
export const LIVE_WITHIN_MS = 2_000;

/** Limits of a replication session for a test of faults: as they are in a full run, else a fifth or so. */
export const FAULT_LIMITS: ObservingLimits = IS_FULL
  ? OBSERVING_LIMITS
  : {
      ...OBSERVING_LIMITS,
      checkEveryMs: 400,
      staleAfterMs: 1_000,
      silenceMs: 2_500,
      walSenderTimeoutMs: 2_000,
      slotPatienceMs: 1_000,
      snapshotMs: 2_500,
    };
