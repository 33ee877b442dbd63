import { elapsedMs, type Instant } from './page-clock.ts';

/**
 * How long messages of one connection may have been under way, at most, in milliseconds. The clocks of server and
 * page need not agree: the first message was sent after the page's call, and from then on both count the same time.
 *
 * A slow link fills its buffers with frames, and a router may hold them back: what arrives is then in good order,
 * without a pause, and minutes old.
 */
export function measureDelay(calledAt: Instant): (sentAtMs: number, now: Instant) => number {
  let firstSentAtMs: number | undefined;
  return (sentAtMs, now) => {
    firstSentAtMs ??= sentAtMs;
    return elapsedMs(calledAt, now) - (sentAtMs - firstSentAtMs);
  };
}
