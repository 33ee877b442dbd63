import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reuseParts } from './reuse-parts.ts';

test('it equals what is new, whatever was before', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, next) => {
      expect(reuseParts(before, next)).toEqual(next);
    }),
  );
});

test('the same again is the very same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(reuseParts(value, structuredClone(value))).toBe(value);
    }),
  );
});

test('a part that did not change is the very same beside one that did', () => {
  const before = { nowMs: 1, rows: [{ admitted: 1 }, { admitted: 2 }], alarms: [] as number[] };
  const next = reuseParts(before, { nowMs: 2, rows: [{ admitted: 1 }, { admitted: 3 }], alarms: [] });
  expect(next).toEqual({ nowMs: 2, rows: [{ admitted: 1 }, { admitted: 3 }], alarms: [] });
  expect(next.rows[0]).toBe(before.rows[0]);
  expect(next.rows[1]).not.toBe(before.rows[1]);
  expect(next.alarms).toBe(before.alarms);
});
