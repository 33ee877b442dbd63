import { expect, test } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

const NOON_MS = Date.UTC(2026, 4, 3, 12);
const HOUR_MS = 3_600_000;

/** A clock that reads `aheadMs` ahead of noon at 0: it is asked `askedMs` before, and answers `answeredMs` after it is read. */
const reading = (atMs: number, { aheadMs = 0, askedMs = 0, answeredMs = 0 } = {}) => ({
  databaseMs: NOON_MS + aheadMs + atMs,
  readAtMs: atMs - askedMs,
  answeredAtMs: atMs + answeredMs,
});

test('an instant is that of its reading, and a clock that goes as time does was not set', () => {
  const clock = new DatabaseClock();
  const first = clock.take(reading(0));
  expect(first).toEqual({ instant: { sourceMs: NOON_MS, readAtMs: 0 }, setByMs: 0 });
  const second = clock.take(reading(2_000, { aheadMs: 4_000, askedMs: 10 }));
  expect(second).toEqual({ instant: { sourceMs: NOON_MS + 6_000, readAtMs: 1_990 }, setByMs: 0 });
});

test.each([HOUR_MS, -HOUR_MS, 6_000, -6_000])('a clock that was set by %i ms was set once', (aheadMs) => {
  const clock = new DatabaseClock();
  clock.take(reading(0));
  expect(clock.take(reading(2_000, { aheadMs })).setByMs).toBe(aheadMs);
  expect(clock.take(reading(4_000, { aheadMs })).setByMs).toBe(0);
});

test.each([0, 4_000, 8_000])(
  'an answer that takes 8 s, of which %i before the clock is read, is no clock that was set, nor are those after it',
  (askedMs) => {
    const slow = { askedMs, answeredMs: 8_000 - askedMs };
    const clock = new DatabaseClock();
    clock.take(reading(0));
    // Its time counts, by the clock as the quicker answer before told it.
    expect(clock.take(reading(10_000, slow))).toEqual({
      instant: { sourceMs: NOON_MS + 10_000, readAtMs: 10_000 },
      setByMs: 0,
    });
    expect(clock.take(reading(20_000)).setByMs).toBe(0);
    // One that was set meanwhile still is, by what is certain.
    const { setByMs } = clock.take(reading(140_000, { ...slow, aheadMs: HOUR_MS }));
    expect(setByMs).toBeGreaterThan(HOUR_MS - 8_001);
    expect(setByMs).toBeLessThanOrEqual(HOUR_MS);
  },
);
