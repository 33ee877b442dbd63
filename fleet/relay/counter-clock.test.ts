import { expect, test } from 'vitest';
import { CounterClock } from './counter-clock.ts';

/** The counter's clock is ahead by so much. */
const AHEAD_MS = 50_000;

test('of the last questions the quickest one tells when a counter answered: each of them no earlier than it was sent', () => {
  const clock = new CounterClock();
  // Asked at 1,000, under way for 300 ms, answered at 1,300.
  clock.note(AHEAD_MS + 1_300, 1_000, 1_600);
  expect(clock.earliestMs(AHEAD_MS + 1_300)).toBe(1_000);
  clock.note(AHEAD_MS + 1_350, 1_250, 3_000);
  expect(clock.earliestMs(AHEAD_MS + 1_300)).toBe(1_200);
  // This question was under way for two seconds.
  clock.note(AHEAD_MS + 3_500, 1_500, 3_600);
  expect(clock.earliestMs(AHEAD_MS + 3_500)).toBe(3_400);
});

test('what was known is forgotten after a while, and at once where a clock has stood still', () => {
  const clock = new CounterClock();
  const askSlowly = (nowMs: number): void => clock.note(AHEAD_MS + nowMs - 100, nowMs - 900, nowMs);
  clock.note(AHEAD_MS + 1_000, 1_000, 1_001);
  for (let nowMs = 2_000; nowMs < 5_000; nowMs += 250) askSlowly(nowMs);
  expect(clock.earliestMs(AHEAD_MS)).toBe(0);
  for (let nowMs = 5_000; nowMs < 13_000; nowMs += 250) askSlowly(nowMs);
  expect(clock.earliestMs(AHEAD_MS)).toBe(-800);
  // This machine was asleep for a minute, by which its clock is behind.
  clock.note(AHEAD_MS + 73_000, 13_000, 13_200);
  expect(clock.earliestMs(AHEAD_MS)).toBe(-60_000);
  // The counter's was.
  clock.note(AHEAD_MS + 73_000, 73_300, 73_400);
  expect(clock.earliestMs(AHEAD_MS)).toBe(300);
});
