import { expect, test } from 'vitest';
import { readMinutesFile } from './minutes-file.ts';
import { minutesOfLines } from './minutes-of-lines.ts';

const MINUTE_MS = Date.parse('2026-11-22T19:00:00Z');

/** Behind every minute of these tests but one. */
const NOW_MS = Date.UTC(2030, 0, 1);

const read = (...lines: string[]) => readMinutesFile(`${lines.join('\n')}\n`, NOW_MS);

test.each([
  ['commas', 'sector,minute,admitted,valid', '7,2026-11-22T16:00:00-03:00,12,5480'],
  [
    'semicolons, another order, more columns',
    'valid;gate;admitted;minute;Sector',
    '5480;x;12;2026-11-22 16:00-0300;7',
  ],
  ['UTC, and quotes', '"sector","minute","admitted","valid"', '"7","2026-11-22T19:00Z","12","5480"'],
])('a line is read: %s', (_what, header, line) => {
  expect(read(header, line)).toEqual([{ sector: '7', minuteMs: MINUTE_MS, admitted: 12, valid: 5_480 }]);
});

test('a sector has the code that it had before the record was exported', () => {
  const [line] = read('sector,minute,admitted,valid', "'+VIP,2026-11-22T16:00:00-03:00,12,5480");
  expect(line?.sector).toBe('+VIP');
});

test('every bad line is named with its number, its cause and what to write', () => {
  const header = 'sector,minute,admitted,valid';
  const attempt = (): unknown =>
    read(
      header,
      '7,2026-11-22T16:00:00-03:00,1,2',
      '7,2026-11-22T16:01:00,1,2',
      '7,2026-02-30T16:01:00Z,1,2',
      '7,2026-11-22T16:01:30Z,1,2',
      '7,2026-11-22T16:01:00Z,-1,2',
      '7,2026-11-22T16:01:00Z,1',
    );
  expect(attempt).toThrow(
    `Line 3 is bad: minute is "2026-11-22T16:01:00": write a time with its offset, as 2026-11-22T16:00:00-03:00.
Line 4 is bad: minute is "2026-02-30T16:01:00Z": write a time with its offset, as 2026-11-22T16:00:00-03:00.
Line 5 is bad: minute is "2026-11-22T16:01:30Z", which is no whole minute.
Line 6 is bad: admitted is "-1", which is no whole number from 0 on.
Line 7 is bad: valid is "", which is no whole number from 0 on.
`,
  );
});

test('a file without its columns, or without lines, is refused', () => {
  expect(() => read('sector,time,in,valid', '7,x,1,2')).toThrow(/the header lacks minute, admitted/);
  expect(() => read('sector,minute,admitted,valid')).toThrow(/no line below it/);
});

const line = (minute: number, sector: string, admitted: number) => ({
  sector,
  minuteMs: MINUTE_MS + minute * 60_000,
  admitted,
  valid: 100,
});
const row = (minute: number, sector: string, admitted: number, net: number) => ({
  ...line(minute, sector, admitted),
  net,
});

test('a minute is what came in between two lines; before the first nobody was in; behind a gap its net says it', () => {
  const lines = [line(1, '7', 5), line(0, '7', 2), line(2, '7', 4)];
  const rows = [row(0, '7', 2, 2), row(1, '7', 5, 3), row(2, '7', 4, -1)];
  expect(minutesOfLines(lines)).toEqual(rows);
  const behindGap = [...lines, { ...line(5, '7', 50), net: 40 }, line(6, '7', 51)];
  expect(minutesOfLines(behindGap)).toEqual([...rows, row(5, '7', 50, 40), row(6, '7', 51, 1)]);
  expect(minutesOfLines([{ ...line(0, '7', 50), net: 3 }])).toEqual([row(0, '7', 50, 3)]);
});

test('behind a gap, a minute without its net is refused with the first one that is missing', () => {
  expect(() => minutesOfLines([line(0, '7', 1), line(1, '7', 2), line(5, '7', 50)])).toThrow(
    'The minute 2026-11-22T19:02Z is missing, so that what entered in 2026-11-22T19:05Z alone is not known',
  );
});

test('a column net is read, where it has a value', () => {
  const header = 'sector,minute,admitted,valid,net';
  expect(read(header, '7,2026-11-22T19:00Z,12,90,-3', '8,2026-11-22T19:00Z,12,90,')).toEqual([
    { sector: '7', minuteMs: MINUTE_MS, admitted: 12, valid: 90, net: -3 },
    { sector: '8', minuteMs: MINUTE_MS, admitted: 12, valid: 90 },
  ]);
  expect(() => read(header, '7,2026-11-22T19:00Z,12,90,1.5')).toThrow(
    /net is "1.5", which is no whole number/,
  );
  expect(() => read(header, '7,2026-11-22T19:00Z,12,90,13')).toThrow(/more entered than are in/);
});

test('a sector that is missing in a minute, or there twice, is named', () => {
  expect(() => minutesOfLines([line(0, '7', 1), line(0, '8', 1), line(1, '7', 1)])).toThrow(
    /The minute 2026-11-22T19:01Z has no line for the sector "8"/,
  );
  expect(() => minutesOfLines([line(0, '7', 1), line(0, '7', 1)])).toThrow(/"7" is twice/);
});

test('a line with more fields than the header is bad, and so is a minute that is still to come', () => {
  const header = 'sector,minute,admitted,valid';
  expect(() => read(header, '4,2026-03-26T18:00-03:00,1,234,5,000')).toThrow(
    /Line 2.*it has 6 fields, and the header 4/s,
  );
  expect(() => read(header, '4,2036-03-26T18:00-03:00,1,2')).toThrow(/Line 2.*which is still to come/s);
});
