/** What one client may make us hold, and how long it may make us wait. */

export const MAX_BODY_BYTES = 16 * 2 ** 20;

/** No good message is longer, even with every character of it escaped. */
export const MAX_MESSAGE_BYTES = 4_096;

/** Requests whose answer is not under way yet; beyond, 503. */
export const MAX_REQUESTS = 1_000;

/** Of the bodies of all these requests together; beyond, 503. */
export const MAX_BODIES_BYTES = 2 * MAX_BODY_BYTES;

export const RETRY_AFTER_S = 1;

/** Of one body. Those of 80 bytes and more do not get there. */
export const MAX_MESSAGES = 200_000;

/** Bad messages, and messages without effect, that an answer lists. */
export const MAX_LISTED_ERRORS = 20;
export const MAX_LISTED_WITHOUT_EFFECT = 1_000;

/** Two clocks that differ by more are said to differ. A message that is ahead of ours by more is ordered by its arrival. */
export const CLOCK_TOLERANCE_MS = 2_000;

/** Of a field of a ticket: so many messages are known again when they are sent again: eight that were ahead, and the newest. */
export const MAX_KNOWN = 9;

/** More than the crowd of any stadium. Of all events together, in the database; beyond, the oldest ones go. */
export const MAX_KEPT = 100_000;

/** Wrong keys from one address in a minute, before 429. */
export const FAILURES_PER_MINUTE = 10;

/** Of the request line and all headers together. */
export const MAX_HEADER_BYTES = 8_192;

export const MAX_CONNECTIONS = 2_000;

/** Durations in milliseconds. Tests shorten them. */
export interface Durations {
  /** From the first byte of a request, or the connection's start, to the end of its headers. */
  readonly headersMs: number;
  /** From the same to the end of its body: 16 MB come in it at 5 Mbit/s. */
  readonly requestMs: number;
  /** How often the two above are looked at. */
  readonly checkEveryMs: number;
  /** A connection on which nothing moves for so long is cut, unless it waits for its answer or for a next request. */
  readonly idleMs: number;
}

export const DURATIONS: Durations = {
  headersMs: 5_000,
  requestMs: 30_000,
  checkEveryMs: 1_000,
  idleMs: 30_000,
};

/** Longer than a proxy keeps its connections, so that it is the one that closes them. */
export const KEEP_ALIVE_MS = 75_000;
