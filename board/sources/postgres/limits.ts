import { SOURCE_CHECK_MS, SOURCE_STALE_MS } from '../../../domain/freshness.ts';

/** Durations of a replication session, in milliseconds. Tests shorten them. */
export interface ObservingLimits {
  /** How often the position of the log and the catalogue are read. */
  readonly checkEveryMs: number;
  /** How often every named host is checked, where there are several. */
  readonly hostsEveryMs: number;
  /** Counts that were right longer ago than this are stale. */
  readonly staleAfterMs: number;
  /** No byte on the replication connection, or no answer to a check, for this long: it is given up. */
  readonly silenceMs: number;
  /** PostgreSQL's `wal_sender_timeout`: keepalives come every half of it. */
  readonly walSenderTimeoutMs: number;
  /** How long one attempt waits for an open writing transaction before it begins anew. */
  readonly slotPatienceMs: number;
  /** The longest that the first count of all tickets may take. */
  readonly snapshotMs: number;
  /** The longest pause between two attempts to connect. */
  readonly maxRetryDelayMs: number;
  /** The pause between checks of hosts while one of them may be promoted at any moment. */
  readonly promotionPollMs: number;
}

export const OBSERVING_LIMITS: ObservingLimits = {
  checkEveryMs: SOURCE_CHECK_MS,
  hostsEveryMs: 1_000,
  staleAfterMs: SOURCE_STALE_MS,
  silenceMs: 10_000,
  walSenderTimeoutMs: 8_000,
  slotPatienceMs: 20_000,
  snapshotMs: 30_000,
  maxRetryDelayMs: 1_000,
  promotionPollMs: 100,
};
