import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createVenueClock } from './venue-clock.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['America/Sao_Paulo', '2026-01-15T12:00:00Z', -180],
  ['America/Manaus', '2026-01-15T12:00:00Z', -240],
  ['UTC', '2026-01-15T12:00:00Z', 0],
  ['Asia/Kathmandu', '2026-01-15T12:00:00Z', 345],
  // A moment before clocks there are set, and then.
  ['America/Santiago', '2026-04-05T02:59:59.999Z', -180],
  ['America/Santiago', '2026-04-05T03:00:00Z', -240],
])('in %s a clock at %s is %i minutes ahead of UTC', (timeZone, at, offsetMinutes) => {
  const readClock = createVenueClock(timeZone);
  vi.setSystemTime(new Date(at));
  expect(readClock()).toEqual({ unixMs: Date.parse(at), utcOffsetMs: offsetMinutes * MINUTE_MS });
});
