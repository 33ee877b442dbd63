import type { LiveMessage, VenueClock } from '../../../domain/live-message.ts';
import type { Instant } from './freshness.ts';

/** Keeps the clock of the venue as the server tells it: the page's own may be wrong by hours, its time zone too. */
export interface VenueClockFollower {
  /** Another stream has begun, whose call was made at `calledAt`. */
  readonly opened: (calledAt: Instant) => void;
  readonly received: (messages: readonly LiveMessage[], now: Instant) => void;
  /** What it shows at `now`; `undefined` where the server has not told. */
  readonly read: (now: Instant) => VenueClock | undefined;
}

/** How much faster than the server's the page's monotonic clock may run. Crystals differ by less. */
const DRIFT = 0.0002;

/**
 * Each message was sent before it came, so that the server's clock shows at least what it showed then: the one that was
 * least under way comes nearest. That is kept, whatever is held up after it, but for what two clocks can drift apart.
 * That the server's clock is set is no matter of delays: `clock` and `sentAtMs` are of one moment, and their difference
 * tells by how much. Only a new stream may be another server's: between its call and its first message lies what its
 * clock showed when it sent that.
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
        if (!('sentAtMs' in message)) continue;
        if ('clock' in message && message.clock) {
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
