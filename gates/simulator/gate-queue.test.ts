import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passGate, slowGate } from './gate-queue.ts';

const eachMinute = (count: number): number[] => Array.from({ length: count }, (_, minute) => minute);

test('people get in at once at a free gate, and wait before it opens', () => {
  expect(passGate([-5, -4, 3, 9], { perMinute: 2, opensAtMinute: 0 })).toEqual([0, 0.5, 3, 9]);
});

test('a gate passes no more than it can', () => {
  const passed = passGate(
    Array.from({ length: 100 }, () => 0),
    { perMinute: 8, opensAtMinute: 0 },
  );
  expect(passed.filter((minute) => minute < 5)).toHaveLength(40);
});

test('a gate that is stopped holds everyone, and then passes them at its pace', () => {
  const passed = slowGate(eachMinute(10), [{ minute: 2, minutes: 3, share: 0 }], 2);
  expect(passed).toEqual([0, 1, 5, 5.5, 6, 6.5, 7, 7.5, 8, 9]);
});

test('a slow gate lets in its share', () => {
  const passed = slowGate(eachMinute(20), [{ minute: 0, minutes: 10, share: 0.3 }], 60);
  expect(passed.slice(0, 3)).toEqual([3, 6, 9]);
  expect(passed[3]).toBe(10);
});

test('whatever a gate does, nobody is lost, overtaken, or in before coming', () => {
  const minute = fc.integer({ min: -60, max: 60 });
  const slowdowns = fc.array(
    fc.record({
      minute,
      minutes: fc.integer({ min: 1, max: 20 }),
      share: fc.constantFrom(0, 0.1, 0.3, 0.5, 0.9),
    }),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(
      fc.array(minute),
      slowdowns,
      fc.integer({ min: 1, max: 10 }),
      (unsorted, disturbed, perMinute) => {
        const come = unsorted.toSorted((a, b) => a - b);
        const open = passGate(come, { perMinute, opensAtMinute: -30 });
        const passed = slowGate(open, disturbed, perMinute);
        expect(passed).toHaveLength(come.length);
        expect(passed).toEqual(passed.toSorted((a, b) => a - b));
        expect(passed.every((at, place) => at >= (open[place] ?? Infinity) - 1e-9)).toBe(true);
        for (const { minute: from, minutes } of disturbed.filter(({ share }) => share === 0)) {
          expect(passed.filter((at) => at >= from && at < from + minutes)).toEqual([]);
        }
      },
    ),
  );
});
