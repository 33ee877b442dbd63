import { expect, it } from 'vitest';
import { measureDelay } from './message-delay.ts';

const at = (seconds: number, wallSeconds = seconds) => ({
  monotonicMs: seconds * 1_000,
  wallMs: wallSeconds * 1_000,
});

it('counts from the call, whatever the clock of the server shows', () => {
  const delayMs = measureDelay(at(100));
  expect(delayMs({ sentAtMs: 7_000_000 }, at(101))).toBe(1_000);
  expect(delayMs({ sentAtMs: 7_005_000 }, at(106))).toBe(1_000);
  expect(delayMs({ sentAtMs: 7_010_000 }, at(119))).toBe(9_000);
});

it('counts from when the server received the call, where it sends that', () => {
  const delayMs = measureDelay(at(100));
  expect(delayMs({ sentAtMs: 7_003_000, receivedAtMs: 7_000_000 }, at(104))).toBe(1_000);
  expect(delayMs({ sentAtMs: 7_005_000 }, at(105.5))).toBe(500);
});

it('counts the time that the page slept', () => {
  const delayMs = measureDelay(at(100));
  expect(delayMs({ sentAtMs: 0 }, at(100))).toBe(0);
  expect(delayMs({ sentAtMs: 5_000 }, at(105, 705))).toBe(600_000);
});

it('a clock that is set back hides no delay', () => {
  const delayMs = measureDelay(at(100));
  expect(delayMs({ sentAtMs: 0 }, at(100))).toBe(0);
  expect(delayMs({ sentAtMs: 5_000 }, at(120, -3_500))).toBe(15_000);
});
