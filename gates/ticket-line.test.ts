import { expect, test } from 'vitest';
import { readTicketLine } from './ticket-line.ts';

function read(...fields: (string | Buffer)[]) {
  return readTicketLine(fields.map((field) => Buffer.from(field)));
}

test('a line becomes a ticket', () => {
  expect(read('a1', 'true', '0', '4')).toEqual({ id: 'a1', isValid: true, entrou: false, setor: '4' });
});

test.each(['a\tb\nc\\d\re', `'; drop table tickets; --`, '=1+1', ' 4', ''])(
  'whatever a sector holds (%j), it is only text',
  (setor) => {
    expect(read('a', '1', 'false', setor).setor).toBe(setor);
  },
);

test.each([
  ['too few columns', ['a', '1', '1'], /3 columns/],
  ['too many columns', ['a', '1', '1', '4', '5'], /5 columns/],
  ['an empty id', ['', '1', '1', '4'], /id is empty/],
  ['a word for a boolean', ['a', 'TRUE', '1', '4'], /isValidTicket is "TRUE"/],
  ['no boolean', ['a', '1', '', '4'], /entrou is ""/],
  ['an id of 129 bytes', [`${'é'.repeat(64)}x`, '1', '1', '4'], /id is longer than 128 bytes/],
  ['a sector of 33 bytes', ['a', '1', '1', 'x'.repeat(33)], /setor is longer than 32 bytes/],
  ['bytes that are not UTF-8', [Buffer.from([0x61, 0xff]), '1', '1', '4'], /id is not UTF-8/],
  ['a NUL', ['a\0b', '1', '1', '4'], /id holds a NUL/],
])('a line with %s is bad', (_what, fields, reason) => {
  expect(() => read(...fields)).toThrow(reason);
});

test('an id of exactly 128 bytes is good', () => {
  expect(read('é'.repeat(64), '1', '1', '4').id).toBe('é'.repeat(64));
});
