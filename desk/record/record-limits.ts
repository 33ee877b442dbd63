/** Durations of a record, in milliseconds. Tests shorten them. */
export interface RecordLimits {
  /**
   * PostgreSQL's `idle_session_timeout`: a process that is stopped, or whose network is gone, loses its session, and with
   * it the lock, so long after its last statement.
   */
  readonly idleSessionMs: number;
  /** How often the session says that it lives; without the lock, how often it is asked for. */
  readonly pingEveryMs: number;
  /** How often rows of another process are read. */
  readonly pollEveryMs: number;
  /** A statement that takes longer: the session is given up. */
  readonly answerMs: number;
  /** PostgreSQL's `lock_timeout`: somebody alters the tables. */
  readonly lockTimeoutMs: number;
  /** The longest pause between two attempts to connect. */
  readonly maxRetryDelayMs: number;
  /** How often every host that is named is looked at, where there are several. */
  readonly hostsEveryMs: number;
  /** The pause before hosts are looked at again of which one may be promoted at any moment. */
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
