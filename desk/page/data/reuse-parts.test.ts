import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reuseParts } from './reuse-parts.ts';

test('the result equals the new value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, next) => {
      expect(reuseParts(before, next)).toEqual(next);
    }),
  );
});

test('an equal value is the same object', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(reuseParts(value, structuredClone(value))).toBe(value);
    }),
  );
});

test('an unchanged part stays the same object beside a changed one', () => {
  const before = { nowMs: 1, rows: [{ admitted: 1 }, { admitted: 2 }], alarms: [] as number[] };
  const next = reuseParts(before, { nowMs: 2, rows: [{ admitted: 1 }, { admitted: 3 }], alarms: [] });
  expect(next).toEqual({ nowMs: 2, rows: [{ admitted: 1 }, { admitted: 3 }], alarms: [] });
  expect(next.rows[0]).toBe(before.rows[0]);
  expect(next.rows[1]).not.toBe(before.rows[1]);
  expect(next.alarms).toBe(before.alarms);
});
