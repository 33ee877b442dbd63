import { expect, test } from 'vitest';
import type { DeskState } from '../../model/desk-state.ts';
import { isMatchTime } from './match-window.ts';

const HOUR_MS = 3_600_000;
const at = (nowMs: number, gatesOpenAtMs: number | null, kickOffAtMs: number | null) =>
  isMatchTime({ nowMs, times: { gatesOpenAtMs, kickOffAtMs } } as unknown as DeskState);

test('a desk does not reload from the gates’ opening until two hours after kick-off', () => {
  const [gates, kickOff] = [10 * HOUR_MS, 12 * HOUR_MS];
  expect(
    [gates - 1, gates, kickOff, 14 * HOUR_MS, 14 * HOUR_MS + 1].map((ms) => at(ms, gates, kickOff)),
  ).toEqual([false, true, true, true, false]);
});

test('without times a desk does not reload', () => {
  expect(at(0, null, null)).toBe(true);
  expect(at(10 * HOUR_MS, 9 * HOUR_MS, null)).toBe(true);
  expect(at(8 * HOUR_MS, 9 * HOUR_MS, null)).toBe(false);
  expect([8, 9, 14, 15].map((hour) => at(hour * HOUR_MS, null, 12 * HOUR_MS))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
