import { expect, test } from 'vitest';
import { ClockWatch } from './clock-watch.ts';

const HOUR = 3_600_000;

function watchAt(): { clocks: ClockWatch; logged: string[]; setNow: (ms: number) => void } {
  let now = 0;
  const logged: string[] = [];
  const clocks = new ClockWatch(
    (line) => logged.push(line),
    () => now,
  );
  return { clocks, logged, setNow: (ms) => void (now = ms) };
}

test('clocks that agree to two seconds are nothing to say', () => {
  const { clocks, logged } = watchAt();
  clocks.noteDatabase(1_900, 0);
  // It took four seconds to answer: nobody knows.
  clocks.noteDatabase(3_000, 2_000);
  clocks.noteSent([
    { gate: '7', ageMs: -1_900 },
    { gate: '8', ageMs: 1_900 },
  ]);
  clocks.logChanges();
  expect([clocks.warning, logged]).toEqual([undefined, []]);
});

test('a database whose clock differs is logged, once, and when it does no more', () => {
  const { clocks, logged } = watchAt();
  for (const aheadMs of [3 * HOUR, 3 * HOUR + 5]) {
    clocks.noteDatabase(aheadMs, 2);
    clocks.logChanges();
  }
  const warning = "The clock of the database is 3.0 h ahead of this machine's. Set the clock that is wrong";
  expect(clocks.warning).toBe(warning);
  clocks.noteDatabase(0, 2);
  clocks.logChanges();
  expect(logged).toEqual([warning, 'No clock is known to differ any more.']);
});

test('a gate whose clock is ahead is named, and one that is behind until a message of it is not late', () => {
  const { clocks } = watchAt();
  clocks.noteSent([
    { gate: '7', ageMs: -2_100 },
    { gate: '8', ageMs: 95_000 },
    { gate: '8', ageMs: 90_000 },
    { gate: '9', ageMs: 0 },
  ]);
  expect(clocks.warning).toBe(
    `The gate "8" sends times 1.5 min behind this machine's clock, or sends late, "7" sends times 2.1 s ahead of this ` +
      `machine's clock. Set the clock that is wrong`,
  );
  expect(clocks.differingGates).toBe(2);
  clocks.noteSent([{ gate: '8', ageMs: 100 }]);
  expect(clocks.warning).toMatch(/^The gate "7" sends times 2\.1 s ahead/);
});

test('many gates are counted, and each differs until it has sent right times for a minute, or nothing for ten', () => {
  const { clocks, setNow } = watchAt();
  for (let gate = 1; gate <= 700; gate += 1) clocks.noteSent([{ gate: String(gate), ageMs: -HOUR }]);
  expect(clocks.warning).toMatch(
    /"3" sends times 1\.0 h ahead of this machine's clock, and 497 more gates differ/,
  );
  setNow(60_000);
  clocks.noteSent([{ gate: '3', ageMs: 0 }]);
  // The other gates are silent.
  setNow(600_000);
  expect(clocks.differingGates).toBe(499);
  for (let gate = 1; gate <= 250; gate += 1) clocks.noteSent([{ gate: String(gate), ageMs: 0 }]);
  setNow(660_000);
  expect(clocks.differingGates).toBe(0);
  // The clock of this one is set while it is switched off.
  clocks.noteSent([{ gate: '9', ageMs: HOUR }]);
  setNow(2 * HOUR);
  clocks.noteSent([{ gate: '9', ageMs: 0 }]);
  expect(clocks.warning).toBeUndefined();
});
