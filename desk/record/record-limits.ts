/** Durations of a record, in milliseconds. Tests shorten them. */
export interface RecordLimits {
  /**
   * PostgreSQL's `idle_session_timeout`: this long after its last statement, a process that hangs or has lost its network loses
   * its session and the lock.
   */
  readonly idleSessionMs: number;
  /** How often the leader keeps its session alive, and others try to take the lock. */
  readonly pingEveryMs: number;
  readonly pollEveryMs: number;
  /** A session whose statement takes longer is given up. */
  readonly answerMs: number;
  /** PostgreSQL's `lock_timeout`, for when somebody alters the tables. */
  readonly lockTimeoutMs: number;
  /** The longest pause between two attempts to connect. */
  readonly maxRetryDelayMs: number;
  /** How often all hosts are checked, if there are several. */
  readonly hostsEveryMs: number;
  /** The pause between checks while one of the hosts may be promoted at any moment. */
  readonly promotionPollMs: number;
}

export const RECORD_LIMITS: RecordLimits = {
  idleSessionMs: 2_000,
  pingEveryMs: 750,
  pollEveryMs: 1_000,
  answerMs: 5_000,
  lockTimeoutMs: 2_000,
  maxRetryDelayMs: 1_000,
  hostsEveryMs: 1_000,
  promotionPollMs: 100,
};
