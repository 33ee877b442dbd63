import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followVenueClock } from './venue-clock.ts';

const HOUR_MS = 3_600_000;
const UTC_OFFSET_MS = -3 * HOUR_MS;
/** How far two clocks can drift apart for each millisecond, as the follower takes it. */
const DRIFT = 0.0002;

/** Server, network and page of one real time; the page's own wall clock is of no use to anybody. */
function openWorld({ pageRunsFasterBy = 0 } = {}) {
  const follower = followVenueClock();
  let realMs = 1_000_000;
  let sleptMs = 0;
  let setByMs = 1_700_000_000_000;
  let serverStartedMs = 0;
  let sentAtRealMs = 0;
  let sentUnixMs = 0;
  const now = () => ({ monotonicMs: (realMs - sleptMs) * (1 + pageRunsFasterBy), wallMs: -realMs });
  const shown = () => follower.read(now())?.unixMs ?? Number.NaN;

  /** A message that is under way for `delayMs`, and comes now. */
  const hear = (event: 'build' | 'heartbeat' | 'counts', delayMs = 0, tellsClock = event !== 'counts') => {
    sentAtRealMs = realMs - delayMs;
    sentUnixMs = sentAtRealMs + setByMs;
    const sentAtMs = sentAtRealMs - serverStartedMs;
    const clock = tellsClock ? { unixMs: sentUnixMs, utcOffsetMs: UTC_OFFSET_MS } : undefined;
    follower.received([{ event, sentAtMs, clock }], now());
  };
  return {
    follower,
    now,
    hear,
    shown,
    /** How far what is shown is ahead of the server's clock. */
    aheadMs: () => shown() - (realMs + setByMs),
    pass: (ms: number) => void (realMs += ms),
    sleep: (ms: number) => {
      realMs += ms;
      sleptMs += ms;
    },
    setServerClock: (byMs: number) => void (setByMs += byMs),
    /** A new stream: its call is answered at once by a server that started just then, and that answer is under way. */
    open: (delayMs = 0) => {
      const calledAt = now();
      serverStartedMs = realMs - 5_000;
      realMs += delayMs;
      follower.opened(calledAt);
      hear('build', delayMs);
    },
  };
}

describe('the clock of the venue', () => {
  it("is the server's, in its time zone, whatever the clock of the page says", () => {
    const { open, pass, aheadMs, follower, now } = openWorld();
    open();
    pass(1_500);
    expect(aheadMs()).toBe(0);
    expect(follower.read(now())?.utcOffsetMs).toBe(UTC_OFFSET_MS);
  });

  it('is not known before the server has told it, nor on the stream of one that does not tell it', () => {
    const { open, hear, follower, now } = openWorld();
    expect(follower.read(now())).toBeUndefined();
    open();
    follower.opened(now());
    hear('counts');
    hear('heartbeat', 0, false);
    expect(follower.read(now())).toBeUndefined();
  });

  it('comes nearer with each message that was less under way, and is not set back by a slow network', () => {
    const { open, pass, hear, aheadMs } = openWorld();
    open(800);
    expect(aheadMs()).toBe(-800);
    pass(1_000);
    hear('counts', 30);
    expect(aheadMs()).toBe(-30);
    for (let minute = 0; minute < 10; minute += 1) {
      pass(60_000);
      hear('heartbeat', 7_000);
    }
    expect(aheadMs()).toBeGreaterThan(-200);
  });

  it('is not touched by a message that has no time', () => {
    const { open, pass, aheadMs, follower, now } = openWorld();
    open();
    pass(1_000);
    follower.received([{ event: 'source' }], now());
    expect(aheadMs()).toBe(0);
  });

  it('is kept by what comes on a new stream before its server has told the clock, and without a call that is known', () => {
    const { open, pass, hear, aheadMs, follower, now } = openWorld();
    hear('heartbeat');
    hear('heartbeat', 100);
    expect(aheadMs()).toBeCloseTo(0, 5);
    open();
    follower.opened(now());
    hear('counts');
    pass(1_000);
    hear('heartbeat', 1_000);
    expect(aheadMs()).toBeGreaterThan(-10);
  });

  it.each([HOUR_MS, -HOUR_MS, 2_000, -2_000])(
    "follows at once when the server's clock is set by %i ms, however late it hears of it",
    (byMs) => {
      const { open, pass, hear, aheadMs, setServerClock } = openWorld();
      open();
      pass(10_000);
      setServerClock(byMs);
      pass(4_000);
      hear('counts');
      hear('heartbeat', 3_000);
      expect(Math.abs(aheadMs())).toBeLessThan(10);
    },
  );

  it.each([DRIFT / 2, -DRIFT / 2])('stays right for a match on a page whose clock is off by %f', (drift) => {
    const { open, pass, hear, aheadMs } = openWorld({ pageRunsFasterBy: drift });
    open();
    for (let second = 0; second < 4 * 3_600; second += 5) {
      pass(5_000);
      hear('heartbeat');
    }
    expect(Math.abs(aheadMs())).toBeLessThan(5);
  });

  it('is right with the first message after a sleep', () => {
    const { open, sleep, hear, aheadMs } = openWorld();
    open();
    sleep(600_000);
    hear('counts', 20);
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
        /** The delay of the message that tells most of the clock, and what two clocks have drifted apart since. */
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
            // What was sent before the clock was set, or the page slept, tells of neither.
            world.hear(
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
