import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followVenueClock } from './venue-clock.ts';

const HOUR_MS = 3_600_000;
const UTC_OFFSET_MS = -3 * HOUR_MS;
/** The drift of two clocks that the follower assumes. */
const DRIFT = 0.0002;

/** Simulates server, network and page in one real time; the page's wall clock is wrong. */
function openWorld({ pageRunsFasterBy = 0 } = {}) {
  const follower = followVenueClock();
  let realMs = 1_000_000;
  let sleptMs = 0;
  let setByMs = 1_700_000_000_000;
  let serverStartedMs = 0;
  let sentAtRealMs = 0;
  let sentUnixMs = 0;
  const now = () => ({ monotonicMs: (realMs - sleptMs) * (1 + pageRunsFasterBy), wallMs: -realMs });
  const displayed = () => follower.read(now())?.unixMs ?? Number.NaN;

  /** Receives a message that was under way for `delayMs`. */
  const receive = (event: 'build' | 'heartbeat' | 'counts', delayMs = 0, hasClock = event !== 'counts') => {
    sentAtRealMs = realMs - delayMs;
    sentUnixMs = sentAtRealMs + setByMs;
    const sentAtMs = sentAtRealMs - serverStartedMs;
    const clock = hasClock ? { unixMs: sentUnixMs, utcOffsetMs: UTC_OFFSET_MS } : undefined;
    follower.received([{ event, sentAtMs, clock }], now());
  };
  return {
    follower,
    now,
    receive,
    /** How far the displayed clock is ahead of the server's. */
    aheadMs: () => displayed() - (realMs + setByMs),
    pass: (ms: number) => void (realMs += ms),
    sleep: (ms: number) => {
      realMs += ms;
      sleptMs += ms;
    },
    setServerClock: (byMs: number) => void (setByMs += byMs),
    /** Opens a stream to a new server, which answers at once; the answer is under way for `delayMs`. */
    open: (delayMs = 0) => {
      const calledAt = now();
      serverStartedMs = realMs - 5_000;
      realMs += delayMs;
      follower.opened(calledAt);
      receive('build', delayMs);
    },
  };
}

describe('the clock of the venue', () => {
  it("is the server's, in its time zone, whatever the page's clock shows", () => {
    const { open, pass, aheadMs, follower, now } = openWorld();
    open();
    pass(1_500);
    expect(aheadMs()).toBe(0);
    expect(follower.read(now())?.utcOffsetMs).toBe(UTC_OFFSET_MS);
  });

  it('is unknown until a server has sent it, and on the stream of a server that does not', () => {
    const { open, receive, follower, now } = openWorld();
    expect(follower.read(now())).toBeUndefined();
    open();
    follower.opened(now());
    receive('counts');
    receive('heartbeat', 0, false);
    expect(follower.read(now())).toBeUndefined();
  });

  it('comes nearer with each faster message, and is not set back by a slow network', () => {
    const { open, pass, receive, aheadMs } = openWorld();
    open(800);
    expect(aheadMs()).toBe(-800);
    pass(1_000);
    receive('counts', 30);
    expect(aheadMs()).toBe(-30);
    for (let minute = 0; minute < 10; minute += 1) {
      pass(60_000);
      receive('heartbeat', 7_000);
    }
    expect(aheadMs()).toBeGreaterThan(-200);
  });

  it('ignores a message without a time', () => {
    const { open, pass, aheadMs, follower, now } = openWorld();
    open();
    pass(1_000);
    follower.received([{ event: 'source' }], now());
    expect(aheadMs()).toBe(0);
  });

  it('survives messages of a new stream before its server has sent its clock, and without a known request', () => {
    const { open, pass, receive, aheadMs, follower, now } = openWorld();
    receive('heartbeat');
    receive('heartbeat', 100);
    expect(aheadMs()).toBeCloseTo(0, 5);
    open();
    follower.opened(now());
    receive('counts');
    pass(1_000);
    receive('heartbeat', 1_000);
    expect(aheadMs()).toBeGreaterThan(-10);
  });

  it.each([HOUR_MS, -HOUR_MS, 2_000, -2_000])(
    "follows at once when the server's clock is set by %i ms, however late the message comes",
    (byMs) => {
      const { open, pass, receive, aheadMs, setServerClock } = openWorld();
      open();
      pass(10_000);
      setServerClock(byMs);
      pass(4_000);
      receive('counts');
      receive('heartbeat', 3_000);
      expect(Math.abs(aheadMs())).toBeLessThan(10);
    },
  );

  it.each([DRIFT / 2, -DRIFT / 2])('stays right for a match on a page whose clock is off by %f', (drift) => {
    const { open, pass, receive, aheadMs } = openWorld({ pageRunsFasterBy: drift });
    open();
    for (let second = 0; second < 4 * 3_600; second += 5) {
      pass(5_000);
      receive('heartbeat');
    }
    expect(Math.abs(aheadMs())).toBeLessThan(5);
  });

  it('is right with the first message after a sleep', () => {
    const { open, sleep, receive, aheadMs } = openWorld();
    open();
    sleep(600_000);
    receive('counts', 20);
    expect(aheadMs()).toBe(-20);
  });

  it('is not set back by a new stream that begins slowly', () => {
    const { open, pass, aheadMs } = openWorld();
    open();
    pass(30_000);
    open(3_000);
    expect(aheadMs()).toBeGreaterThan(-10);
  });

  it.each([HOUR_MS, -HOUR_MS])(
    'follows a new stream to a server whose clock is %i ms ahead, as near as that stream began',
    (byMs) => {
      const { open, pass, aheadMs, setServerClock } = openWorld();
      open();
      pass(30_000);
      setServerClock(byMs);
      open(300);
      expect(Math.abs(aheadMs())).toBeLessThanOrEqual(300);
    },
  );

  it('holds these for any delays, drift, sleeps, new streams and settings of the clock', () => {
    const step = fc.record({
      kind: fc.constantFrom('counts', 'counts', 'heartbeat', 'heartbeat', 'sleep', 'open', 'set'),
      passMs: fc.integer({ min: 10, max: 5_000 }),
      delayMs: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 8_000 })),
      byMs: fc.integer({ min: -HOUR_MS, max: HOUR_MS }),
    });
    const drift = fc.integer({ min: -10, max: 10 }).map((share) => (share * DRIFT) / 20);
    fc.assert(
      fc.property(drift, fc.array(step, { maxLength: 100, size: 'max' }), (pageRunsFasterBy, steps) => {
        const world = openWorld({ pageRunsFasterBy });
        world.open();
        /** The smallest delay of a message, plus the drift since then. */
        let leastMs = 0;
        for (const { kind, passMs, delayMs, byMs } of steps) {
          world.pass(passMs);
          leastMs += passMs * 2 * DRIFT + 0.01;
          if (kind === 'sleep') {
            world.sleep(byMs + HOUR_MS);
            leastMs = Infinity;
          }
          if (kind === 'open') {
            world.open(delayMs);
            leastMs += delayMs * 2 * DRIFT;
          } else {
            if (kind === 'set') world.setServerClock(byMs);
            // Messages that were sent earlier would not show that the clock was set or the page slept.
            world.receive(
              kind === 'counts' || kind === 'sleep' ? 'counts' : 'heartbeat',
              Math.min(delayMs, passMs),
            );
          }
          leastMs = Math.min(leastMs, delayMs);
          expect(world.aheadMs()).toBeGreaterThanOrEqual(-leastMs - 1);
          expect(world.aheadMs()).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});
