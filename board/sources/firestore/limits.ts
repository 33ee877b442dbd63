import { SOURCE_STALE_MS, SOURCE_TICK_MS } from '../../../domain/freshness.ts';

/** Durations of observing Firestore, in milliseconds. Tests shorten them. */
export interface FirestoreLimits {
  /** How often age, probes and silence are checked. */
  readonly tickMs: number;
  /** How often the stream is asked whether it has passed everything on; each costs a document read. */
  readonly probeEveryMs: number;
  /** The shortest pause between two, however slow the answers are: it bounds what they cost. */
  readonly probeAtMostEveryMs: number;
  /** Counts that were verified longer ago than this are stale. */
  readonly staleAfterMs: number;
  /** A connection that is not made by then is given up. */
  readonly connectMs: number;
  /** No message on a stream that was asked for one, or no answer to a request: it is given up. */
  readonly silenceMs: number;
  /** The same while tickets are being read: the emulator thinks for seconds before it sends the first of many. */
  readonly readingSilenceMs: number;
  /** The longest pause between the beginnings of two attempts to connect. */
  readonly maxRetryDelayMs: number;
  /** The same where somebody has to change something first, as each attempt may cost a document read. */
  readonly maxRefusedDelayMs: number;
  /** How often one sector is compared with Firestore's own count; each in turn. */
  readonly sectorCheckEveryMs: number;
  /** How often the totals are. */
  readonly totalCheckEveryMs: number;
  /** How often a count is compared again that differed. */
  readonly differenceCheckEveryMs: number;
  /** A token is used for this long: those of accounts end after an hour. */
  readonly tokenUseMs: number;
  /** How often memory and resume token are saved. */
  readonly saveEveryMs: number;
  /** A saved resume token is used for this long; Firestore bills all documents again after 30 minutes. */
  readonly resumeWithinMs: number;
}

const MINUTE_MS = 60_000;

export const FIRESTORE_LIMITS: FirestoreLimits = {
  tickMs: SOURCE_TICK_MS,
  probeEveryMs: 2_000,
  probeAtMostEveryMs: 500,
  staleAfterMs: SOURCE_STALE_MS,
  connectMs: 2_000,
  silenceMs: 5_000,
  readingSilenceMs: 10_000,
  maxRetryDelayMs: 1_000,
  maxRefusedDelayMs: 10_000,
  sectorCheckEveryMs: MINUTE_MS,
  totalCheckEveryMs: 5 * MINUTE_MS,
  differenceCheckEveryMs: 10_000,
  tokenUseMs: 45 * MINUTE_MS,
  saveEveryMs: 5 * MINUTE_MS,
  resumeWithinMs: 30 * MINUTE_MS,
};
