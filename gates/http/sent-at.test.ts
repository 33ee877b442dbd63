import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantText, readSentAt } from './sent-at.ts';

const NOW = Date.UTC(2025, 2, 26, 23, 15);

test.each([
  ['2025-03-26T20:15:00.123-03:00', '2025-03-26T23:15:00.123000Z'],
  ['2025-03-26t23:15:00z', '2025-03-26T23:15:00.000000Z'],
  ['2025-03-26T23:15:00.1234567Z', '2025-03-26T23:15:00.123456Z'],
  ['2025-03-26T23:15:00.1234567890123Z', '2025-03-26T23:15:00.123456Z'],
  ['2025-01-01T00:30:00+01:00', '2024-12-31T23:30:00.000000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000000Z'],
  ['2025-03-26T20:59:60-03:00', '2025-03-27T00:00:00.000000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
])('%s is read as %s', (text, instant) => {
  const read = readSentAt(text);
  expect(read.text).toBe(instant);
  expect(read.ms).toBe(Date.parse(instant));
  expect(instantText(read.ms)).toBe(`${instant.slice(0, -4)}000Z`);
});

test.each([
  ['1970-01-01T00:05:00+14:00', '1969-12-31T10:05:00.000000Z'],
  ['0001-01-01T00:05:00.5Z', '0001-01-01T00:05:00.500000Z'],
  ['0070-01-01T00:00:00.5Z', '0070-01-01T00:00:00.500000Z'],
  ['0001-01-01T00:00:00+14:00', '0001-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59-03:00', '9999-12-31T23:59:59.999000Z'],
])('%s, which a clock shows that is far off, is read as %s', (text, instant) => {
  expect(readSentAt(text)).toEqual({ text: instant, ms: Date.parse(instant) });
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
  '0000-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '2025-03-26T24:00:00Z',
  '2025-03-26T23:60:00Z',
  '2025-03-26T23:59:61Z',
  '2025-03-26T23:15:00+24:00',
  '1742944500',
  'now',
  '',
  '2025-03-26T23:15:00Z\n',
])('%j is no date and time with an offset', (text) => {
  expect(() => readSentAt(text)).toThrow('its at is no date and time with an offset');
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
      const [a, b] = [readSentAt(write(one)).text, readSentAt(write(other)).text];
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(order);
    }),
  );
});
