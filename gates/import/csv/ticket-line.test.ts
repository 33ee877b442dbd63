import { expect, test } from 'vitest';
import { readTicketLine } from './ticket-line.ts';
import { WordReader } from './words.ts';

const WORDS = new WordReader(new Map());
const COLUMNS = { id: 0, isValidTicket: 1, entrou: 2, setor: 3 };

function read(...fields: string[]) {
  return readTicketLine(fields, COLUMNS, 4, WORDS);
}

test('a line becomes a ticket', () => {
  expect(read('a1', 'true', '0', '4')).toEqual({ id: 'a1', isValid: true, entrou: false, setor: '4' });
});

test('columns may stand in any order, among others, and be missing', () => {
  const columns = { setor: 1, id: 4, isValidTicket: undefined, entrou: 0 };
  expect(readTicketLine(['S', '4', 'Ana', '', 'a1'], columns, 5, WORDS)).toEqual({
    id: 'a1',
    isValid: undefined,
    entrou: true,
    setor: '4',
  });
});

test.each(['a\tb\nc\\d\re', `'; drop table tickets; --`, '=1+1', ' 4'])(
  'whatever a sector holds (%j), it is only text',
  (setor) => {
    expect(read('a', '1', 'false', setor)).toMatchObject({ setor });
  },
);

test('an id that a spreadsheet program has shortened is no id', () => {
  for (const id of ['1,23E+11', '7.5e+9', '7E+11'])
    expect(read(id, '1', '0', '4')).toMatch(/save that column as text/);
  expect(read('1E5', '1', '0', '4')).toMatchObject({ id: '1E5' });
});

test.each([
  [true, ['true', 'TRUE', '1', 'sim', 'Sim', 'S', 's', 'VERDADEIRO', ' verdadeiro\t', 'True']],
  [
    false,
    ['false', 'FALSE', '0', 'não', 'Não', 'NÃO', 'nao', 'NAO', 'n', 'N', 'FALSO', ' falso ', 'na\u0303o'],
  ],
])('%s has many names', (value, words) => {
  for (const word of words)
    expect(read('a', word, word, '4')).toMatchObject({ isValid: value, entrou: value });
});

test.each([
  ['too few columns', ['a', '1', '1'], /has 3 columns, and the header 4/],
  ['too many columns', ['a', '1', '1', '4', '5'], /has 5 columns/],
  ['too many columns, the last empty', ['a', '1', '1', '4', '5', ''], /has 6 columns/],
  ['an empty id', ['', '1', '1', '4'], /id is empty/],
  ['a word for a boolean', ['a', 'yep', '1', '4'], /isValidTicket is "yep"/],
  ['no boolean', ['a', '1', '', '4'], /entrou is ""/],
  ['an empty sector', ['a', '1', '1', ''], /setor is empty/],
  ['a sector of spaces', ['a', '1', '1', ' '], /setor is empty/],
  ['an id of 129 bytes', [`${'é'.repeat(64)}x`, '1', '1', '4'], /id is longer than 128 bytes/],
  ['a sector of 33 bytes', ['a', '1', '1', 'x'.repeat(33)], /setor is longer than 32 bytes/],
  ['an id that has lost a character', ['a\uFFFD', '1', '1', '4'], /id .*lost a character/],
  ['a NUL', ['a\0b', '1', '1', '4'], /id holds a NUL/],
])('a line with %s is bad', (_what, fields, reason) => {
  expect(read(...fields)).toMatch(reason);
});

test('columns without a value behind the last are none', () => {
  expect(read('a', '1', '1', '4', '', '')).toMatchObject({ id: 'a' });
});

test('an id of exactly 128 bytes is good', () => {
  expect(read('é'.repeat(64), '1', '1', '4')).toMatchObject({ id: 'é'.repeat(64) });
});
