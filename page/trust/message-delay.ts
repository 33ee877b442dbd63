import { elapsedMs, type Instant } from './page-clock.ts';

/** The times are the server's monotonic clock. */
interface Stamped {
  readonly sentAtMs: number;
  readonly receivedAtMs?: number | undefined;
}

/**
 * Returns an upper bound for the delay of a connection's messages, in milliseconds. The clocks of server and page need not
 * agree: the server received the page's call after it was sent, and from then on both clocks advance equally. Without
 * `receivedAtMs` the first message's time takes its place.
 *
 * Over a slow link, whose buffers fill with frames, messages may arrive in order and without a pause, but minutes old.
 */
export function measureDelay(calledAt: Instant): (message: Stamped, now: Instant) => number {
  let receivedAtMs: number | undefined;
  return (message, now) => {
    receivedAtMs ??= message.receivedAtMs ?? message.sentAtMs;
    return elapsedMs(calledAt, now) - (message.sentAtMs - receivedAtMs);
  };
}
