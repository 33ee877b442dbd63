import { expect, test } from 'vitest';
import { FlowSeries } from './flow-series.ts';
import { KEPT_MS, MINUTE_MS } from './minute.ts';

const START_MS = Date.UTC(2026, 4, 3, 12, 0);
const HOUR_MS = 60 * MINUTE_MS;
function observe(sectorCount: number): FlowSeries {
  const series = new FlowSeries({ sectorCount });
  series.begin(
    START_MS,
    Array.from({ length: sectorCount }, () => ({ admitted: 0, valid: 5_000 })),
  );
  return series;
}

test('a day of minutes is kept, and the last forty minutes bucket by bucket', () => {
  const series = observe(1);
  series.advanceTo(START_MS + KEPT_MS);
  expect(series.isConfirmed(START_MS)).toBe(true);
  const endMs = START_MS + KEPT_MS + 5 * HOUR_MS;
  series.advanceTo(endMs);
  const minutes = series.minutes(-Infinity, Infinity);
  expect(minutes[0]?.minuteMs).toBe(endMs - KEPT_MS);
  expect(minutes).toHaveLength(KEPT_MS / MINUTE_MS);
  expect(series.admittedAt(endMs - 40 * MINUTE_MS + 10_000, 0)).toBe(0);
  expect(series.admittedAt(endMs - 40 * MINUTE_MS - 10_000, 0)).toBeUndefined();
  expect(series.admittedAt(endMs - 50 * MINUTE_MS, 0)).toBe(0);
});

test('a clock that is years away for some minutes takes no place from the last hours', () => {
  const series = observe(1);
  const nowMs = START_MS + KEPT_MS;
  series.advanceTo(nowMs);
  series.interrupt(nowMs);
  series.advanceTo(nowMs + 500 * KEPT_MS);
  series.advanceTo(nowMs + 500 * KEPT_MS + 5 * MINUTE_MS);
  series.interrupt(nowMs + 500 * KEPT_MS + 5 * MINUTE_MS);
  series.advanceTo(nowMs + 5 * MINUTE_MS);
  series.advanceTo(nowMs + 3 * HOUR_MS);
  expect(series.minutes(nowMs - 12 * HOUR_MS, nowMs)).toHaveLength(12 * 60);
  expect(series.minutes(nowMs, nowMs + KEPT_MS)).toHaveLength(3 * 60 - 5);
});

test('minutes of more than a day ago are not restored over those of today', () => {
  const yesterday = observe(1).advanceTo(START_MS);
  const old = observe(1);
  const oldMinutes = old.advanceTo(START_MS + KEPT_MS);
  const series = new FlowSeries({ sectorCount: 1 });
  series.begin(START_MS + 2 * KEPT_MS, [{ admitted: 0, valid: 0 }]);
  series.advanceTo(START_MS + 2 * KEPT_MS + HOUR_MS);
  expect(yesterday).toEqual([]);
  series.restore(oldMinutes);
  expect(series.minutes(-Infinity, Infinity)).toHaveLength(60);
});
