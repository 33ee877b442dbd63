import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MatchClock } from './match-clock.ts';

const OPENED_MS = 1_795_000_000_000;
const HOUR_MS = 3_600_000;

test('two hours of a match pass in two minutes, from when its gates open', () => {
  const clock = new MatchClock(60);
  expect(clock.read(OPENED_MS - 5_000)).toBe(OPENED_MS - 5_000);
  const gatesOpenMs = clock.open(OPENED_MS, OPENED_MS + 100);
  // Heard 0.1 s later: six seconds of the match.
  expect(gatesOpenMs).toBe(OPENED_MS + 100 - 6_000);
  expect(clock.read(OPENED_MS + 120_000) - gatesOpenMs).toBe(2 * HOUR_MS);
});

test('a minute is a minute from 200 minutes after the gates have opened', () => {
  const clock = new MatchClock(60);
  clock.open(OPENED_MS, OPENED_MS);
  const endMs = OPENED_MS + (200 * 60_000) / 60;
  expect(clock.read(endMs) - clock.read(endMs - 1_000)).toBe(60_000);
  expect(clock.read(endMs + 60_000) - clock.read(endMs)).toBe(60_000);
});

test('whatever its speed and whenever the gates open, it only goes on', () => {
  const afterMs = fc.integer({ min: -10_000, max: 20_000_000 });
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 10_000, noNaN: true }),
      fc.array(afterMs),
      fc.nat(5_000),
      (speed, unsorted, heardMs) => {
        const clock = new MatchClock(speed);
        const times = unsorted.toSorted((a, b) => a - b).map((ms) => OPENED_MS + ms);
        let isOpen = false;
        const read = times.map((ms) => {
          if (!isOpen && ms >= OPENED_MS + heardMs) {
            clock.open(OPENED_MS, OPENED_MS + heardMs);
            isOpen = true;
          }
          return clock.read(ms);
        });
        expect(read).toEqual(read.toSorted((a, b) => a - b));
      },
    ),
  );
});
