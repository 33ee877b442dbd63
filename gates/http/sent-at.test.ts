import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSentAt } from './sent-at.ts';

const NOW = Date.UTC(2025, 2, 26, 23, 15);

test.each([
  ['2025-03-26T20:15:00.123-03:00', '2025-03-26T23:15:00.123000Z'],
  ['2025-03-26t23:15:00z', '2025-03-26T23:15:00.000000Z'],
  ['2025-03-26T23:15:00.1234567Z', '2025-03-26T23:15:00.123456Z'],
  ['2025-01-01T00:30:00+01:00', '2024-12-31T23:30:00.000000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
  ['2025-03-26T23:20:00Z', '2025-03-26T23:20:00.000000Z'],
])('%s is read as %s', (text, instant) => {
  expect(readSentAt(text, NOW)).toBe(instant);
});

test.each([
  '2025-03-26T20:15:00',
  '2025-03-26 20:15:00Z',
  '2025-03-26',
  '2025-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2025-13-01T00:00:00Z',
  '2025-00-10T00:00:00Z',
  '2025-01-00T00:00:00Z',
  '2025-03-26T24:00:00Z',
  '2025-03-26T23:60:00Z',
  '2025-03-26T23:59:60Z',
  '2025-03-26T23:15:00+24:00',
  '1742944500',
  'now',
  '',
  '2025-03-26T23:15:00Z\n',
])('%j is no date and time with an offset', (text) => {
  expect(() => readSentAt(text, NOW)).toThrow('its at is no date and time with an offset');
});

test('what is too far ahead, or too long ago, is refused with the limit', () => {
  expect(() => readSentAt('2025-03-26T23:20:01Z', NOW)).toThrow('more than 5 minutes ahead of this machine');
  expect(() => readSentAt('1999-12-31T23:59:59Z', NOW)).toThrow('before 2000');
});

test('the order of the texts is that of time', () => {
  const instant = fc.record({
    ms: fc.integer({ min: Date.UTC(2001, 0), max: NOW }),
    us: fc.integer({ min: 0, max: 999 }),
    offset: fc.integer({ min: -840, max: 840 }),
  });
  const write = ({ ms, us, offset }: { ms: number; us: number; offset: number }): string => {
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, 23);
    const minutes = Math.abs(offset);
    const pad = (count: number): string => String(count).padStart(2, '0');
    const sign = offset < 0 ? '-' : '+';
    return `${local}${String(us).padStart(3, '0')}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  };
  fc.assert(
    fc.property(instant, instant, (one, other) => {
      const order = Math.sign(one.ms - other.ms || one.us - other.us);
      const [a, b] = [readSentAt(write(one), NOW), readSentAt(write(other), NOW)];
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(order);
    }),
  );
});
