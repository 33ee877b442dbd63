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
  const { clocks, setNow } = watchAt();
  clocks.noteSent([
    { gate: '7', ageMs: -2_100 },
    { gate: '8', ageMs: 95_000 },
    { gate: '8', ageMs: 90_000 },
    { gate: '9', ageMs: 0 },
  ]);
  setNow(3_000);
  expect(clocks.warning).toBe(
    `The gate "8" sent times 1.5 min behind this machine's clock, or sent late (last 3 s ago), "7" sent times 2.1 s ahead ` +
      `of this machine's clock (last 3 s ago). Set the clock that is wrong, unless messages were only late`,
  );
  expect(clocks.differingGates).toBe(2);
  clocks.noteSent([{ gate: '8', ageMs: 100 }]);
  expect(clocks.warning).toMatch(/^The gate "7" sent times 2\.1 s ahead/);
});

test('a gate that is set right is named for a minute after its last time ahead, and not without a right one', () => {
  const { clocks, logged, setNow } = watchAt();
  clocks.noteSent([{ gate: '7', ageMs: -HOUR }]);
  clocks.logChanges();
  setNow(61_000);
  expect(clocks.differingGates).toBe(1);
  clocks.noteSent([{ gate: '7', ageMs: 0 }]);
  expect(clocks.differingGates).toBe(0);
  // Two devices of one gate: one of them is right.
  clocks.noteSent([{ gate: '7', ageMs: -HOUR }]);
  setNow(100_000);
  clocks.noteSent([{ gate: '7', ageMs: 0 }]);
  clocks.logChanges();
  expect(clocks.warning).toMatch(/"7" sent times 1\.0 h ahead of this machine's clock \(last 39 s ago\)/);
  setNow(122_000);
  clocks.logChanges();
  expect(logged.at(-1)).toBe('No clock is known to differ any more.');
});

test('times that come late from a gate that was prompt within the minute are no clock that is behind', () => {
  const { clocks, setNow } = watchAt();
  clocks.noteSent([{ gate: '7', ageMs: 0 }]);
  clocks.noteSent([{ gate: '8', ageMs: -HOUR }]);
  setNow(60_000);
  for (const gate of ['7', '8']) clocks.noteSent([{ gate, ageMs: 30_000 }]);
  expect(clocks.warning).toMatch(/^The gate "8" sent times 1\.0 h ahead of/);
  setNow(60_001);
  for (const gate of ['7', '8']) clocks.noteSent([{ gate, ageMs: 30_000 }]);
  expect(clocks.warning).toMatch(/"7" sent times 30\.0 s behind .*"8" sent times 30\.0 s behind/);
});

test('many gates are counted, and each differs until it has sent a right time, or nothing for ten minutes', () => {
  const { clocks, setNow } = watchAt();
  for (let gate = 1; gate <= 700; gate += 1) clocks.noteSent([{ gate: String(gate), ageMs: -HOUR }]);
  expect(clocks.warning).toMatch(
    /"203" sent times 1\.0 h ahead of this machine's clock \(last 0 s ago\), and 497 more gates differ/,
  );
  setNow(600_000);
  expect(clocks.differingGates).toBe(500);
  for (let gate = 201; gate <= 450; gate += 1) clocks.noteSent([{ gate: String(gate), ageMs: 0 }]);
  expect(clocks.differingGates).toBe(250);
  setNow(600_001);
  expect(clocks.differingGates).toBe(0);
});
