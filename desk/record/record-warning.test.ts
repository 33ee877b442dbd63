import { expect, test, vi } from 'vitest';
import { REAL_TIME, speedUp } from '../flow/flow-clock.ts';
import type { RecordState } from './record.ts';
import { recordWarning } from './record-warning.ts';

const NOW_MS = Date.parse('2026-11-26T19:00:00Z');

function warning(state: RecordState, { entriesLost = 0, minutesOld = 1, clock = REAL_TIME } = {}) {
  const lastMinuteMs = NOW_MS - (minutesOld + 1) * 60_000;
  return recordWarning({ state, entriesLost, lastMinuteMs, minutesWaiting: 7 }, NOW_MS, clock);
}

test('a record that is kept, or about to be, needs no warning', () => {
  const states = [
    { kind: 'writer' },
    { kind: 'standby' },
    { kind: 'away', reason: 'starting' },
  ] as const satisfies RecordState[];
  expect(states.map((state) => warning(state))).toEqual([undefined, undefined, undefined]);
});

test('entries that a promoted database lacks are named for as long as another process records', () => {
  const text = /^3 entries of the log that were recorded are not any more, .*: they are written again/;
  expect(warning({ kind: 'standby' }, { entriesLost: 3 })).toMatch(text);
  expect(warning({ kind: 'writer' }, { entriesLost: 3 })).toMatch(text);
  expect(warning({ kind: 'away', reason: 'refused' }, { entriesLost: 3 })).toMatch(
    'cannot be written (7 minutes wait): refused',
  );
});

test('a record that another process holds without writing has a warning after three minutes of real time', () => {
  // Each reading of the clock is a millisecond later than the one before.
  let realMs = NOW_MS;
  vi.spyOn(Date, 'now').mockImplementation(() => (realMs += 1));
  expect(warning({ kind: 'standby' }, { minutesOld: 3 })).toBeUndefined();
  expect(warning({ kind: 'standby' }, { minutesOld: 4 })).toMatch('has written no minute for 4 min');
  expect(warning({ kind: 'writer' }, { minutesOld: 4 })).toBeUndefined();
  const clock = speedUp(NOW_MS, 10);
  expect(warning({ kind: 'standby' }, { minutesOld: 29, clock })).toBeUndefined();
  expect(warning({ kind: 'standby' }, { minutesOld: 31, clock })).toMatch('for 31 min');
});
