import { expect, test } from 'vitest';
import { readTicketMessage } from './ticket-message.ts';

const NOW = Date.UTC(2025, 2, 26, 23, 15);
const read = (text: string | Buffer) => readTicketMessage(Buffer.from(text), NOW);

test('a message has the fields to change, and no others', () => {
  expect(read('{"id":"A-1","entrou":true}')).toEqual({
    id: 'A-1',
    isValid: undefined,
    entrou: true,
    setor: undefined,
    gate: undefined,
    at: undefined,
    ageMs: 0,
  });
  expect(
    read(
      '{"id":"á\\n","isValidTicket":false,"entrou":null,"setor":"4","gate":"7 B","at":"2025-03-26T20:15:00.5Z"}',
    ),
  ).toEqual({
    id: 'á\n',
    isValid: false,
    entrou: undefined,
    setor: '4',
    gate: '7 B',
    at: '2025-03-26T20:15:00.500000Z',
    ageMs: 3 * 3_600_000 - 500,
  });
});

test.each([
  ['{', 'it is no JSON'],
  ['', 'it is no JSON'],
  ['{"id":"a","entrou":true} {}', 'it is no JSON'],
  ["{'id':'a'}", 'it is no JSON'],
  ['null', 'it is no JSON object'],
  ['[]', 'it is no JSON object'],
  ['"a"', 'it is no JSON object'],
  ['{}', 'it has no id'],
  ['{"entrou":true}', 'it has no id'],
  ['{"id":null,"entrou":true}', 'it has no id'],
  ['{"id":"","entrou":true}', 'its id is empty'],
  ['{"id":721744537954,"entrou":true}', 'its id is no text: put it in quotes'],
  ['{"id":1e400,"entrou":true}', 'its id is no text'],
  ['{"id":["a"],"entrou":true}', 'its id is no text'],
  ['{"id":"a"}', 'it has none of entrou, isValidTicket and setor'],
  ['{"id":"a","at":"2025-03-26T20:15:00Z"}', 'it has none of entrou, isValidTicket and setor'],
  ['{"id":"a","entrou":null}', 'it has none of entrou, isValidTicket and setor'],
  ['{"id":"a","entrou":1}', 'its entrou is neither true nor false'],
  ['{"id":"a","entrou":"true"}', 'its entrou is neither true nor false'],
  ['{"id":"a","isValidTicket":"x"}', 'its isValidTicket is neither true nor false'],
  ['{"id":"a","setor":4}', 'its setor is no text: put it in quotes'],
  ['{"id":"a","entrou":true,"setor":""}', 'its setor is empty: leave it out'],
  ['{"id":"a","setor":" "}', 'its setor is empty'],
  ['{"id":"a","entrou":true,"at":1742944500}', 'its at is no text'],
  ['{"id":"a","entrou":true,"at":"today"}', 'its at is no date and time'],
  ['{"id":"a","entrou":true,"porta":"7"}', 'it has a field "porta", which is none of id, isValidTicket'],
  ['{"id":"a","entrou":true,"gate":7}', 'its gate is no text: put it in quotes'],
  ['{"id":"a","Entrou":true}', 'it has a field "Entrou"'],
  ['{"id":"a","entrou":true,"__proto__":{"id":"b"}}', 'it has a field "__proto__"'],
  ['{"id":"a","entrou":true,"constructor":{}}', 'it has a field "constructor"'],
  ['{"id":"a","entrou":true,"entrou":false}', 'it has a field twice'],
  ['{"id":"a","entrou":true,"\\u0069d":"b"}', 'it has a field twice'],
  ['{"id":"a\\u0000","entrou":true}', 'its id holds a NUL'],
  ['{"id":"a","setor":"\\u0000"}', 'its setor holds a NUL'],
  ['{"id":"\\ud83d","entrou":true}', 'its id holds half a character'],
  ['{"id":"\\ude00\\ud83d","entrou":true}', 'its id holds half a character'],
  [`{"id":"${'x'.repeat(129)}","entrou":true}`, 'its id is longer than 128 bytes'],
  [`{"id":"${'é'.repeat(65)}","entrou":true}`, 'its id is longer than 128 bytes'],
  [`{"id":"a","setor":"${'x'.repeat(33)}"}`, 'its setor is longer than 32 bytes'],
  [`${'['.repeat(2_000)}${']'.repeat(2_000)}`, 'it is no JSON object'],
  [`{"id":${'{"a":'.repeat(600)}1${'}'.repeat(600)},"entrou":true}`, 'its id is no text'],
  ['{"id":"a","entrou":true,"gate":{"gate":"7"}}', 'its gate is no text: put it in quotes'],
  ['{"id":"a","entrou":true,"gate":{},"gate":"7"}', 'it has a field twice'],
])('%s is refused', (text, problem) => {
  expect(() => read(text)).toThrow(problem);
});

test('bytes that are no UTF-8 are refused, and whole characters are not', () => {
  expect(() => read(Buffer.from('{"id":"\xe9","entrou":true}', 'latin1'))).toThrow('it is not UTF-8');
  expect(read('{"id":"\\ud83d\\ude00","entrou":true}').id).toBe('😀');
  expect(read('{"id":"a\\": ","entrou":true}').id).toBe('a": ');
});
