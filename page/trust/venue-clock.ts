import type { VenueClock } from '../../domain/live-message.ts';
import type { Instant } from './page-clock.ts';

/** Some messages bring the server's clock. */
interface Timed {
  readonly event: string;
  readonly sentAtMs?: number | undefined;
  readonly clock?: VenueClock | undefined;
}

/** Follows the venue's clock as the server sends it: the page's clock may be wrong by hours, and so may its time zone. */
export interface VenueClockFollower {
  /** Called for each new stream. `sentAt`: when its request was sent. */
  readonly opened: (sentAt: Instant) => void;
  readonly received: (messages: readonly Timed[], now: Instant) => void;
  /** Returns the venue's clock at `now`; `undefined` until the server has sent it. */
  readonly read: (now: Instant) => VenueClock | undefined;
}

/** The page's monotonic clock may run this much faster than the server's; crystals differ by less. */
const DRIFT = 0.0002;

/**
 * Each message gives a lower bound for the server's clock, as it is sent before it arrives; the one with the shortest delay
 * gives the best bound. The estimate keeps that bound, less the possible drift since then. `clock` and `sentAtMs` are read at
 * one moment: when the server's clock is set, their difference changes, and the estimate with it. A new stream may come from
 * another server: its first message was sent after the request for the stream, which gives an upper bound.
 */
export function followVenueClock(): VenueClockFollower {
  /** When the server's monotonic clock (`sentAtMs`) began, by its wall clock. */
  let beganMs: number | undefined;
  let utcOffsetMs = 0;
  /** The estimate: how far the server's clock is ahead of the page's monotonic one. */
  let aheadMs = Number.NaN;
  let receivedMs = 0;
  let calledMs = -Infinity;

  const update = (shownMs: number, nowMs: number) => {
    const leastMs = shownMs - nowMs;
    const keptMs = aheadMs - DRIFT * (nowMs - receivedMs);
    aheadMs = keptMs > leastMs ? Math.min(keptMs, shownMs - calledMs) : leastMs;
    receivedMs = nowMs;
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
        if (beganMs !== undefined) update(beganMs + message.sentAtMs, monotonicMs);
      }
    },
    read({ monotonicMs }) {
      return beganMs === undefined ? undefined : { unixMs: monotonicMs + aheadMs, utcOffsetMs };
    },
  };
}
