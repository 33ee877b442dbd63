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

/** A clock, with every step that it has notified its observer of. */
function open() {
  const clock = new DatabaseClock();
  const setByMs: number[] = [];
  const observer = { clockSet: (byMs: number) => void setByMs.push(byMs) };
  return { setByMs, take: (...of: Parameters<typeof reading>) => clock.instantOf(reading(...of), observer) };
}

test('an instant is that of its reading, and a clock that goes as time does was not set', () => {
  const { take, setByMs } = open();
  expect(take(0)).toEqual({ sourceMs: NOON_MS, readAtMs: 0 });
  expect(take(2_000, { aheadMs: 4_000, askedMs: 10 })).toEqual({
    sourceMs: NOON_MS + 6_000,
    readAtMs: 1_990,
  });
  expect(setByMs).toEqual([]);
});

test.each([HOUR_MS, -HOUR_MS, 6_000, -6_000])('a clock that was set by %i ms was set once', (aheadMs) => {
  const { take, setByMs } = open();
  take(0);
  expect(take(2_000, { aheadMs })).toEqual({ sourceMs: NOON_MS + 2_000 + aheadMs, readAtMs: 2_000 });
  take(4_000, { aheadMs });
  expect(setByMs).toEqual([aheadMs]);
});

test.each([0, 4_000, 8_000])(
  'an answer that takes 8 s, of which %i before the clock is read, is no clock that was set, nor are those after it',
  (askedMs) => {
    const slow = { askedMs, answeredMs: 8_000 - askedMs };
    const { take, setByMs } = open();
    take(0);
    // Its time counts, by the clock as it was with the quicker answer before.
    expect(take(10_000, slow)).toEqual({ sourceMs: NOON_MS + 10_000, readAtMs: 10_000 });
    take(20_000);
    expect(setByMs).toEqual([]);
    // One that was set meanwhile still is, by what is certain.
    take(140_000, { ...slow, aheadMs: HOUR_MS });
    expect(setByMs).toHaveLength(1);
    expect(setByMs[0]).toBeGreaterThan(HOUR_MS - 8_001);
    expect(setByMs[0]).toBeLessThanOrEqual(HOUR_MS);
  },
);
