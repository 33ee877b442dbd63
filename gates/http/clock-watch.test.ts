import { expect, test } from 'vitest';
import { ClockWatch } from './clock-watch.ts';

const HOUR = 3_600_000;

function watchAt(): { clocks: ClockWatch; said: string[]; setNow: (ms: number) => void } {
  let now = 0;
  const said: string[] = [];
  const clocks = new ClockWatch(
    (line) => said.push(line),
    () => now,
  );
  return { clocks, said, setNow: (ms) => void (now = ms) };
}

const sent = (gate: string, ageMs: number, count = 1) =>
  Array.from({ length: count }, () => ({ gate, ageMs }));

test('clocks that agree to two seconds are nothing to say', () => {
  const { clocks, said } = watchAt();
  clocks.noteDatabase(1_900, 0);
  // It took four seconds to answer: nobody knows.
  clocks.noteDatabase(3_000, 2_000);
  clocks.noteSent([...sent('7', -1_900), ...sent('8', 1_900, 50)]);
  clocks.tell();
  expect([clocks.warning, said]).toEqual([undefined, []]);
});

test('a database whose clock differs is said, once, and when it does no more', () => {
  const { clocks, said } = watchAt();
  for (const aheadMs of [3 * HOUR, 3 * HOUR + 5]) {
    clocks.noteDatabase(aheadMs, 2);
    clocks.tell();
  }
  const warning = "The clock of the database is 3.0 h ahead of this machine's. Set the clock that is wrong";
  expect(clocks.warning).toBe(warning);
  clocks.noteDatabase(0, 2);
  clocks.tell();
  expect(said).toEqual([warning, 'The clocks agree again.']);
});

test('a gate that sends times ahead is named at once, and one that is behind once that is no single late message', () => {
  const { clocks } = watchAt();
  clocks.noteSent([...sent('7', -2_100), ...sent('8', 90_000, 9), ...sent('9', 0)]);
  expect(clocks.warning).toBe(
    `The gate "7" sends times 2.1 s ahead of this machine's clock. Set the clock that is wrong`,
  );
  clocks.noteSent(sent('8', 95_000));
  expect(clocks.warning).toMatch(
    '"8" sends times 1.5 min behind this machine\'s clock, or sends late, "7" sends',
  );
  expect(clocks.newestAgeMs).toBe(-2_100);
});

test('many gates are counted, and what they sent is forgotten after two minutes', () => {
  const { clocks, setNow } = watchAt();
  for (let gate = 1; gate <= 700; gate += 1) clocks.noteSent(sent(String(gate), -HOUR));
  expect(clocks.warning).toMatch(
    /"3" sends times 1\.0 h ahead of this machine's clock, and 497 more gates differ/,
  );
  setNow(60_000);
  clocks.noteSent(sent('x', 0));
  expect(clocks.warning).toBeDefined();
  setNow(121_000);
  expect([clocks.warning, clocks.newestAgeMs]).toEqual([undefined, 0]);
  setNow(300_000);
  expect(clocks.newestAgeMs).toBeUndefined();
});
