import { elapsedMs, type Instant } from './page-clock.ts';

/** Times of the server's own clock. */
interface Stamped {
  readonly sentAtMs: number;
  readonly receivedAtMs?: number | undefined;
}

/**
 * How long messages of one connection may have been under way, at most, in milliseconds. The clocks of server and
 * page need not agree: the server received the page's call after it was sent, and from then on both count the same time.
 * A server that does not say when it received the call sent its first message after that.
 *
 * A slow link fills its buffers with frames, and a router may hold them back: what arrives is then in good order,
 * without a pause, and minutes old.
 */
export function measureDelay(calledAt: Instant): (message: Stamped, now: Instant) => number {
  let receivedAtMs: number | undefined;
  return (message, now) => {
    receivedAtMs ??= message.receivedAtMs ?? message.sentAtMs;
    return elapsedMs(calledAt, now) - (message.sentAtMs - receivedAtMs);
  };
}
