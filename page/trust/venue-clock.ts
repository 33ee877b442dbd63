import type { VenueClock } from '../../domain/live-message.ts';
import type { Instant } from './page-clock.ts';

/** A message, of which some tell the time. */
interface Timed {
  readonly event: string;
  readonly sentAtMs?: number | undefined;
  readonly clock?: VenueClock | undefined;
}

/** Follows the venue's clock as the server sends it: the page's own may be wrong by hours, its time zone too. */
export interface VenueClockFollower {
  /** A new stream has begun, whose request was sent at `sentAt`. */
  readonly opened: (sentAt: Instant) => void;
  readonly received: (messages: readonly Timed[], now: Instant) => void;
  /** What it shows at `now`; `undefined` where the server has not sent it. */
  readonly read: (now: Instant) => VenueClock | undefined;
}

/** How much faster than the server's the page's monotonic clock may run. Crystals differ by less. */
const DRIFT = 0.0002;

/**
 * A message is sent before it arrives, so each one gives a lower bound for what the server's clock shows: the message with
 * the shortest delay gives the best one. The estimate keeps that bound, less what two clocks can drift apart since then.
 * When the server's clock is set, the difference between `clock` and `sentAtMs`, which are read at one moment, changes by
 * as much, and the estimate with it. A new stream may come from another server: its first message was sent after the
 * request for the stream, which gives an upper bound.
 */
export function followVenueClock(): VenueClockFollower {
  /** On the server's clock: when the one that `sentAtMs` is of began. */
  let beganMs: number | undefined;
  let utcOffsetMs = 0;
  /** The estimate: how far the server's clock is ahead of the page's monotonic one. */
  let aheadMs = Number.NaN;
  let heardMs = 0;
  let calledMs = -Infinity;

  const learn = (shownMs: number, nowMs: number) => {
    const leastMs = shownMs - nowMs;
    const keptMs = aheadMs - DRIFT * (nowMs - heardMs);
    aheadMs = keptMs > leastMs ? Math.min(keptMs, shownMs - calledMs) : leastMs;
    heardMs = nowMs;
  };

  return {
    opened({ monotonicMs }) {
      beganMs = undefined;
      calledMs = monotonicMs;
    },
    received(messages, { monotonicMs }) {
      for (const message of messages) {
        if (message.sentAtMs === undefined) continue;
        if (message.clock) {
          const nextBeganMs = message.clock.unixMs - message.sentAtMs;
          if (beganMs !== undefined) aheadMs += nextBeganMs - beganMs;
          beganMs = nextBeganMs;
          ({ utcOffsetMs } = message.clock);
        }
        if (beganMs !== undefined) learn(beganMs + message.sentAtMs, monotonicMs);
      }
    },
    read({ monotonicMs }) {
      return beganMs === undefined ? undefined : { unixMs: monotonicMs + aheadMs, utcOffsetMs };
    },
  };
}
