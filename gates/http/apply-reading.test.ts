import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyReading, type Reading, type Ticket } from './apply-reading.ts';
import { instantText } from './sent-at.ts';

const NOW = Date.UTC(2025, 2, 26, 23, 15);
const HOUR = 3_600_000;

function ticket(): Ticket {
  return {
    id: 'a',
    isValid: true,
    entrou: false,
    setor: '4',
    times: {},
    known: [],
    isChanged: false,
    isNewlyTimed: false,
    hasKept: false,
  };
}

/** `at` and `received`: milliseconds after NOW. */
function reading(entrou: boolean, at: number | undefined, received: number): Reading {
  return {
    isValid: undefined,
    entrou,
    setor: undefined,
    at: at === undefined ? undefined : instantText(NOW + at),
    receivedAt: instantText(NOW + received),
    isAhead: at !== undefined && at > received + 2_000,
  };
}

/** Applies each reading on its arrival, and returns the results. */
function applyAll(to: Ticket, readings: readonly Reading[]): string[] {
  return readings.map((each) => applyReading(to, each, Date.parse(each.receivedAt)));
}

test('while our clock is hours behind, entries count at once, and repeated readings change nothing', () => {
  const entered = (received: number): Reading => reading(true, 3 * HOUR, received);
  const left = (received: number): Reading => reading(false, 3 * HOUR + 60_000, received);
  const it = ticket();
  expect(applyAll(it, [entered(0), left(60_000), entered(61_000), left(62_000)])).toEqual([
    'applied',
    'applied',
    'older',
    'unchanged',
  ]);
  expect(it.entrou).toBe(false);
  // After our clock was corrected: the first entry is sent again, then a new one.
  expect(applyAll(it, [entered(3 * HOUR + 120_000), reading(true, 4 * HOUR, 4 * HOUR)])).toEqual([
    'older',
    'applied',
  ]);
});

test('a gate whose clock is hours ahead hides no entry of a gate whose clock is right, or less ahead', () => {
  const it = ticket();
  const results = applyAll(it, [
    reading(true, 5 * HOUR, 0),
    reading(false, 1_000, 1_000),
    reading(true, 2 * HOUR, 2_000),
    reading(false, 3_000, 3_000),
  ]);
  expect(results).toEqual(['applied', 'applied', 'applied', 'applied']);
  expect(it.times.entrou).toBe(instantText(NOW + 3_000));
});

test('a reading that is ahead is applied after one that was ahead within the tolerance', () => {
  const it = ticket();
  expect(applyAll(it, [reading(true, 1_900, 0), reading(false, HOUR, 100)])).toEqual(['applied', 'applied']);
  expect(it.times.entrou).toBe(instantText(NOW + 1_900));
});

test('a reading that is sent again, to a machine whose clock is behind, undoes no newer one', () => {
  const it = ticket();
  expect(
    applyAll(it, [reading(true, 0, 0), reading(false, 5_000, 5_000), reading(true, 0, 10_000 - HOUR)]),
  ).toEqual(['applied', 'applied', 'older']);
});

test('a time in the database that is ahead of our clock makes nothing older', () => {
  const it = { ...ticket(), entrou: true, times: { entrou: instantText(NOW + 3 * HOUR) } };
  expect(applyAll(it, [reading(false, 0, 0), reading(true, -1_000, 10)])).toEqual(['applied', 'older']);
});

test.each([HOUR, 0])(
  'two readings of one instant, %i ms ahead, are both applied on arrival, and recognized when sent again',
  (at) => {
    const it = ticket();
    const both = [reading(true, at, 0), reading(false, at, 0)];
    expect(applyAll(it, both)).toEqual(['applied', 'applied']);
    expect(it.entrou).toBe(false);
    expect(applyAll(it, both)).toEqual(['older', 'unchanged']);
  },
);

test('a reading that is sent again does not undo a change that was made otherwise in between', () => {
  const it = ticket();
  const valid = { ...reading(true, 0, 0), isValid: true, setor: '7' };
  expect(applyAll(it, [valid])).toEqual(['applied']);
  Object.assign(it, { isValid: false, entrou: false, setor: '4' });
  expect(applyAll(it, [valid])).toEqual(['older']);
  expect(it).toMatchObject({ isValid: false, entrou: false, setor: '4' });
});

test('each field has its own time: a reading that is too old for one field still changes the others', () => {
  const it = ticket();
  const sector = (setor: string, at: number): Reading => ({
    ...reading(true, at, at),
    entrou: undefined,
    setor,
  });
  const results = applyAll(it, [
    sector('7', 2_000),
    { ...reading(true, 1_000, 3_000), setor: '8' },
    sector('9', 1_500),
  ]);
  expect(results).toEqual(['applied', 'applied', 'older']);
  expect(it).toMatchObject({ entrou: true, setor: '7' });
});

test('the last reading that is not a repetition decides, however wrong the gate’s clock is', () => {
  const step = fc.record({ entrou: fc.boolean(), pauseMs: fc.nat(60_000), again: fc.nat(3) });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: -12 * HOUR, max: 12 * HOUR }),
      (steps, offset) => {
        const it = ticket();
        let at = 0;
        const sent: Reading[] = [];
        for (const { entrou, pauseMs, again } of steps) {
          at += 1 + pauseMs;
          const now = at;
          sent.push(reading(entrou, now + offset, now));
          applyReading(it, sent.at(-1) as Reading, NOW + now);
          const repeated = sent[sent.length - 1 - again];
          if (repeated) applyReading(it, { ...repeated, receivedAt: instantText(NOW + now) }, NOW + now);
          expect(it.entrou).toBe(entrou);
        }
      },
    ),
    { seed: 20_250_326, numRuns: 500 },
  );
});
