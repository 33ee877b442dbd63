import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../cli/errors.ts';
import { formatEventTime, readEventTime } from './event-time.ts';

const read = (text: string, timeZone = 'America/Sao_Paulo'): string =>
  readEventTime('--kick-off', text, timeZone).toISOString();

test.each([
  ['2026-11-22T16:00', 'America/Sao_Paulo', '2026-11-22T19:00:00.000Z'],
  ['2026-11-22 16:00:30', 'America/Manaus', '2026-11-22T20:00:30.000Z'],
  ['2026-11-22T16:00', 'Asia/Kathmandu', '2026-11-22T10:15:00.000Z'],
  ['2026-11-22T16:00Z', 'America/Manaus', '2026-11-22T16:00:00.000Z'],
  ['2026-11-22T16:00+05:45', 'America/Manaus', '2026-11-22T10:15:00.000Z'],
  // The hours before and after clocks there are set.
  ['2026-04-04T22:59', 'America/Santiago', '2026-04-05T01:59:00.000Z'],
  ['2026-04-05T00:00', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
  ['2026-04-04T23:30-04:00', 'America/Santiago', '2026-04-05T03:30:00.000Z'],
])('%s in %s is %s', (text, timeZone, instant) => {
  expect(read(text, timeZone)).toBe(instant);
});

test.each([
  '16:00',
  '2026-11-22',
  '2026-02-30T10:00',
  '2026-13-01T10:00',
  '2026-11-22T24:00',
  '22/11/2026 16:00',
  '',
])('"%s" is no time, and the message has the form', (text) => {
  expect(() => read(text)).toThrow(UsageError);
  expect(() => read(text)).toThrow(`--kick-off is "${text}", which is no time: write it as YYYY-MM-DDTHH:MM`);
});

test('a time that clocks skip is refused, and one that they show twice needs its offset', () => {
  expect(() => read('2026-09-06T00:30', 'America/Santiago')).toThrow('never show: they are set forward');
  expect(() => read('2026-04-04T23:30', 'America/Santiago')).toThrow(
    'write 2026-04-04T23:30-03:00 or 2026-04-04T23:30-04:00.',
  );
});

function readAgain(shown: string, timeZone: string): string {
  try {
    return read(shown, timeZone);
  } catch (error) {
    return error instanceof UsageError && error.message.includes('show twice')
      ? 'shown twice'
      : String(error);
  }
}

test('a formatted instant reads as that instant again, or is refused as shown twice', () => {
  const zone = fc.constantFrom(
    'America/Sao_Paulo',
    'America/Santiago',
    'Europe/Lisbon',
    'Australia/Lord_Howe',
  );
  // From 1990 on, in whole seconds; Sao Paulo set its clocks until 2019.
  const second = fc.integer({ min: 631_152_000, max: 1_924_992_000 });
  fc.assert(
    fc.property(zone, second, (timeZone, unixS) => {
      const instant = new Date(unixS * 1_000);
      const shown = formatEventTime(instant, timeZone);
      expect(readAgain(shown, timeZone)).toBeOneOf([instant.toISOString(), 'shown twice']);
    }),
  );
});

test('a time beyond those of JavaScript is said to be one', () => {
  expect(formatEventTime(new Date(Number.NaN), 'America/Sao_Paulo')).toBe('a year out of range');
});
