import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAtGate } from './gate-readings.ts';
import { type Incident, parseIncident } from './incidents.ts';

const eachMinute = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, minute) => from + minute);
const read = (minutes: readonly number[], ...texts: string[]) =>
  readAtGate(minutes, texts.map(parseIncident), 10, Math.random);

test('without an incident everyone is read on getting in', () => {
  expect(read([-3, -1, -1, 4])).toEqual([
    { person: 0, minute: -3, isLateBatch: false },
    { person: 1, minute: -1, isLateBatch: false },
    { person: 2, minute: -1, isLateBatch: false },
    { person: 3, minute: 4, isLateBatch: false },
  ]);
});

test('a lot has only readings of the half hour before, and no more than there are', () => {
  const readings = read(eachMinute(-60, 10), 'lot:a@-20x1000');
  expect(readings.filter(({ isLateBatch }) => isLateBatch).map(({ person }) => person)).toEqual(
    eachMinute(10, 40),
  );
  expect(read(eachMinute(-10, 10), 'lot:a@-20x5').filter(({ isLateBatch }) => isLateBatch)).toEqual([]);
});

test('what is held back is spread over the half hour', () => {
  const held = read(eachMinute(-60, 10), 'lot:a@-20x15').filter(({ isLateBatch }) => isLateBatch);
  expect(held).toHaveLength(15);
  const ages = held.map(({ person }) => person);
  expect(Math.max(...ages) - Math.min(...ages)).toBeGreaterThan(14);
});

test('a lot of people who enter unread is none', () => {
  expect(read(eachMinute(-60, 10), 'unread:a@-60', 'lot:a@-20x15')).toEqual([]);
});

test('whatever happens, nobody is read twice, or before getting in', () => {
  const minute = fc.integer({ min: -60, max: 20 });
  const length = fc.integer({ min: 1, max: 30 });
  const incident: fc.Arbitrary<Incident> = fc.oneof(
    fc.record({
      kind: fc.constant('slow' as const),
      sector: fc.constant('a'),
      minute,
      minutes: length,
      share: fc.constantFrom(0, 0.3, 0.7),
    }),
    fc.record({ kind: fc.constant('lot' as const), sector: fc.constant('a'), minute, count: length }),
    fc.record({ kind: fc.constant('unread' as const), sector: fc.constant('a'), minute }),
  );
  fc.assert(
    fc.property(
      fc.array(minute, { maxLength: 200 }),
      fc.array(incident, { maxLength: 4 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (unsorted, incidents, drawn) => {
        const minutes = unsorted.toSorted((a, b) => a - b);
        const readings = readAtGate(minutes, incidents, 5, () => drawn);
        expect(new Set(readings.map(({ person }) => person)).size).toBe(readings.length);
        for (const reading of readings) {
          expect(reading.minute).toBeGreaterThanOrEqual((minutes[reading.person] ?? Infinity) - 1e-9);
        }
        const isUnread = incidents.some(({ kind }) => kind === 'unread');
        expect(isUnread || readings.length === minutes.length).toBe(true);
      },
    ),
  );
});
