export const MAX_BODY_BYTES = 16 * 2 ** 20;

/** A webhook about a ticket has a few KB. */
export const MAX_WEBHOOK_BYTES = 64 * 2 ** 10;

/** No valid message is longer, even with every character escaped. */
export const MAX_MESSAGE_BYTES = 4_096;

/** Beyond so many unanswered requests, the answer is 503. */
export const MAX_REQUESTS = 1_000;

/** Beyond so many bytes in the bodies of unanswered requests, the answer is 503. */
export const MAX_BODIES_BYTES = 2 * MAX_BODY_BYTES;

export const RETRY_AFTER_S = 1;

/** Limits one body. Messages of 80 bytes and more reach MAX_BODY_BYTES first. */
export const MAX_MESSAGES = 200_000;

export const MAX_LISTED_ERRORS = 20;
export const MAX_LISTED_WITHOUT_EFFECT = 1_000;

/** A larger difference of two clocks is reported. A message that is ahead of ours by more is ordered by its arrival. */
export const CLOCK_TOLERANCE_MS = 2_000;

/** So many messages about a field of a ticket, the last ones applied, are recognized when sent again. */
export const MAX_KNOWN = 9;

/** Exceeds the crowd of any stadium. Beyond so many kept readings, of all events together, the oldest are dropped. */
export const MAX_KEPT = 100_000;

/** So many wrong keys from one address are answered 401 before 429 begins. */
export const FAILURES_PER_MINUTE = 10;

export const MAX_HEADER_BYTES = 8_192;

export const MAX_CONNECTIONS = 2_000;

/** Durations in milliseconds. Tests shorten them. */
export interface Durations {
  /** Runs from the first byte of a request, or the connection's start, to the end of its headers. */
  readonly headersMs: number;
  /** Runs from the same moment to the end of the body: 16 MB arrive within it at 5 Mbit/s. */
  readonly requestMs: number;
  readonly checkEveryMs: number;
  /** A silent connection is cut after so long, unless it waits for an answer or for its next request. */
  readonly idleMs: number;
  /** What pretix is asked for a webhook is given up after so long; it waits 30 s for the answer, of two rounds at most. */
  readonly pretixMs: number;
  /** Annulled check-ins of pretix are looked for so often. */
  readonly sweepMs: number;
  /** Kept readings are looked at so often. */
  readonly readingsMs: number;
}

export const DURATIONS: Durations = {
  headersMs: 5_000,
  requestMs: 30_000,
  checkEveryMs: 1_000,
  idleMs: 30_000,
  pretixMs: 10_000,
  sweepMs: 120_000,
  readingsMs: 1_000,
};

/** Exceeds the keep-alive of proxies, so that the proxy closes the connection first. */
export const KEEP_ALIVE_MS = 75_000;
