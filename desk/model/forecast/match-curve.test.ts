import { expect, test } from 'vitest';
import { MINUTE_MS } from '../series/minute.ts';
import { valueAt } from './curve-value.ts';
import { BRIDGED_MIN } from './limits.ts';
import { type MatchCurve, type MinuteCount, readMatchCurve } from './match-curve.ts';

const KICK_OFF_MS = Date.UTC(2026, 4, 3, 22, 0);
const VALID = 5_000;

/** Ten enter a minute, all the time; `before` were in at the first minute's beginning. */
function steadyMinutes(fromMin: number, toMin: number, before = 0): MinuteCount[] {
  return Array.from({ length: toMin - fromMin }, (_, n) => ({
    minuteMs: KICK_OFF_MS + (fromMin + n) * MINUTE_MS,
    admitted: before + (n + 1) * 10,
    net: 10,
    valid: VALID,
    lots: 0,
  }));
}

function curveOf(minutes: readonly MinuteCount[], kickOffAtMs = KICK_OFF_MS): MatchCurve {
  const curve = readMatchCurve(minutes, kickOffAtMs);
  if (!curve) throw new Error('there is no curve');
  return curve;
}

test('a curve has who was in at each minute, and goes on flat where nothing is known', () => {
  const { admitted, valid, fromMin, toMin, bestRate } = curveOf(steadyMinutes(-90, 20, 40));
  expect({ fromMin, toMin, bestRate }).toEqual({ fromMin: -90, toMin: 20, bestRate: 10 });
  expect([-120, -90, -89, 0, 20, 60].map((min) => valueAt(admitted, min))).toEqual([
    40, 40, 50, 940, 1_140, 1_140,
  ]);
  expect(valueAt(valid, 0)).toBe(VALID);
});

test('before nobody was in, nobody was in', () => {
  expect(curveOf(steadyMinutes(-70, 20)).fromMin).toBe(-120);
});

test('a short gap is bridged, a longer one ends what is known', () => {
  const minutes = steadyMinutes(-90, 20, 40);
  const without = (first: number, count: number): MinuteCount[] =>
    minutes.filter(({ minuteMs }) => {
      const min = (minuteMs - KICK_OFF_MS) / MINUTE_MS;
      return min < first || min >= first + count;
    });
  const bridged = curveOf(without(-40, BRIDGED_MIN));
  expect(bridged.fromMin).toBe(-90);
  expect(valueAt(bridged.admitted, -38)).toBe(560);
  expect(curveOf(without(-40, BRIDGED_MIN + 1)).fromMin).toBe(-40 + BRIDGED_MIN + 1);
  expect(curveOf(without(8, BRIDGED_MIN + 1)).toMin).toBe(8);
});

test('a match of which nobody knows who was in at kick-off has no curve', () => {
  expect(readMatchCurve([], KICK_OFF_MS)).toBeNull();
  expect(readMatchCurve(steadyMinutes(-90, -1), KICK_OFF_MS)).toBeNull();
  expect(readMatchCurve(steadyMinutes(1, 30, 900), KICK_OFF_MS)).toBeNull();
  const minutes = steadyMinutes(-90, 20);
  const gap = minutes.filter(({ minuteMs }) => Math.abs(minuteMs - KICK_OFF_MS) > 4 * MINUTE_MS);
  expect(readMatchCurve(gap, KICK_OFF_MS)).toBeNull();
});

test('a kick-off within a minute lies within its entries', () => {
  expect(valueAt(curveOf(steadyMinutes(-90, 20), KICK_OFF_MS + MINUTE_MS / 2).admitted, 0)).toBe(905);
});

test('the best rate has no lots, and no five minutes over a gap', () => {
  const minutes = steadyMinutes(-90, 20);
  const lot = minutes.toSpliced(50, 1, { ...minutes[50], net: 410, lots: 400 } as MinuteCount);
  expect(curveOf(lot).bestRate).toBe(10);
  const burst = minutes.map((minute, n) => Object.assign({}, minute, { net: n >= 50 && n < 54 ? 30 : 10 }));
  expect(curveOf(burst).bestRate).toBe(26);
  expect(curveOf(burst.toSpliced(50, 1)).bestRate).toBe(22);
});
