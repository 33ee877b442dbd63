import { expect, test } from 'vitest';
import { createOffsetReader, isTimeZone } from './time-zone.ts';

test.each([
  ['America/Fortaleza', true],
  ['UTC', true],
  ['Fortaleza', false],
  ['-03:00', false],
  ['+03:00', false],
  ['03:00', false],
  ['', false],
])('%j is an IANA name of a time zone: %s', (name, isOne) => {
  expect(isTimeZone(name)).toBe(isOne);
});

test.each([
  ['America/Sao_Paulo', '2026-05-03T19:00Z', -3 * 60],
  ['America/New_York', '2026-01-15T12:00Z', -5 * 60],
  ['America/New_York', '2026-07-15T12:00Z', -4 * 60],
  ['Asia/Kathmandu', '2026-05-03T19:00Z', 5 * 60 + 45],
  ['America/St_Johns', '2026-01-15T12:00Z', -(3 * 60 + 30)],
  ['Asia/Tokyo', '2026-05-03T19:00Z', 9 * 60],
  ['UTC', '2026-05-03T19:00Z', 0],
])('%s at %s is %i minutes ahead of UTC', (timeZone, at, minutes) => {
  expect(createOffsetReader(timeZone)(Date.parse(at))).toBe(minutes * 60_000);
});

test('an offset of what is no time zone is refused', () => {
  expect(() => createOffsetReader('Fortaleza')).toThrow(RangeError);
});
