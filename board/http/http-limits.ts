/** How long, in milliseconds, and how large a client may make us wait. Tests shorten the durations. */
export interface HttpLimits {
  /** The time from the first byte of a request, or the connection's start, to the end of its headers. */
  readonly headersMs: number;
  /** The time from the same to the end of its body. */
  readonly requestMs: number;
  /** How often the two above are checked: a slow client is disconnected at most this much later. */
  readonly checkEveryMs: number;
  /** A connection on which nothing moves for this long is cut, unless it is a stream or waits for a next request. */
  readonly idleMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  headersMs: 5_000,
  requestMs: 10_000,
  checkEveryMs: 1_000,
  idleMs: 30_000,
};

/** Longer than a proxy keeps its connections, so that it is the one that closes them. */
export const KEEP_ALIVE_MS = 75_000;

/** The size of request line and headers together. A browser sends well under one kilobyte. */
export const MAX_HEADER_BYTES = 8_192;

/** An event's ID in a path: 1,500 bytes of UTF-8, with `%` and two digits for each. */
export const MAX_PARAMETER_LENGTH = 4_500;

/** An e-mail address and a key. */
export const MAX_BODY_BYTES = 1_024;

/** Connections beside the streams: pages being loaded, sign-ins, viewers that are refused for now. */
export const SPARE_CONNECTIONS = 2_000;
