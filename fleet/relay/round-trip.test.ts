import { expect, test } from 'vitest';
import { RoundTrip } from './round-trip.ts';

test('limits grow with two slow answers in a row, fall slowly, and are never without end', () => {
  const roundTrip = new RoundTrip();
  roundTrip.note(9_000, 0);
  roundTrip.note(2, 0);
  expect(roundTrip.allowanceMs(0)).toBe(4);
  roundTrip.note(900, 0);
  roundTrip.note(600, 0);
  for (let nowMs = 0; nowMs <= 15_000; nowMs += 250) roundTrip.note(2, nowMs);
  expect(roundTrip.allowanceMs(15_000)).toBeCloseTo(600);
  roundTrip.note(9_000, 15_000);
  roundTrip.note(9_000, 15_000);
  expect(roundTrip.allowanceMs(15_000)).toBe(2_000);
});
