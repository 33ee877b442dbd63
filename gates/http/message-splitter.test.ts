import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { type BodyFormat, splitMessages } from './message-splitter.ts';

type Taken = readonly [text: string | undefined, line: number];

/** What is taken from a body that comes in pieces cut at these places, also if it cannot be read to its end. */
function split(format: BodyFormat, body: string, cuts: readonly number[] = [], taken: Taken[] = []): Taken[] {
  const splitter = splitMessages(format, (bytes, line) =>
    taken.push([bytes?.toString().replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''), line]),
  );
  const bytes = Buffer.from(body);
  let start = 0;
  for (const cut of [...cuts].toSorted((a, b) => a - b)) {
    splitter.push(bytes.subarray(start, Math.max(start, cut)));
    start = Math.max(start, cut);
  }
  splitter.push(bytes.subarray(start));
  splitter.end();
  return taken;
}

test('one object is one message, with the line in which it begins', () => {
  expect(split('json', '\n {"id":\n"a"} ')).toEqual([['{"id":\n"a"}', 2]]);
  expect(split('json', ' 17 ')).toEqual([['17', 1]]);
});

test('an array is as many as it has elements, whatever they are', () => {
  const body = '[\n  {"id":"a,]}\\""},\n  [1,[2]], {"x":{"y":[]}},\n\n  null\n]\n';
  expect(split('json', body)).toEqual([
    ['{"id":"a,]}\\""}', 2],
    ['[1,[2]]', 3],
    ['{"x":{"y":[]}}', 3],
    ['null', 5],
  ]);
  expect(split('json', '[]')).toEqual([]);
  expect(split('json', ' [ \n ] ')).toEqual([]);
  // JSON.parse refuses these.
  expect(split('json', '[,]')).toHaveLength(2);
  expect(split('json', '[1,]')).toEqual([
    ['1', 1],
    ['', 1],
  ]);
  expect(split('json', '[{"id":"a"}{"id":"b"},1]')).toEqual([
    ['{"id":"a"}{"id":"b"}', 1],
    ['1', 1],
  ]);
});

test('lines are a message each, blank ones aside', () => {
  expect(split('ndjson', '{"id":"a"}\r\n\n  \n{"id":"b"}\n')).toEqual([
    ['{"id":"a"}', 1],
    ['{"id":"b"}', 4],
  ]);
  expect(split('ndjson', '')).toEqual([]);
});

test.each([
  ['', 'the body is empty', 1, []],
  [' \n', 'the body is empty', 2, []],
  ['[', 'the array is not closed', 1, []],
  ['[\n1,{"id":"a"} ', 'the array is not closed', 2, ['1', '{"id":"a"}']],
  ['[{"id":"a"},\n', 'the array is not closed', 2, ['{"id":"a"}']],
  ['[1,{"id":"a"', 'the array is not closed', 1, ['1']],
  ['[{"id":"a\n]', 'the array is not closed', 2, []],
  ['[1,"a', 'the array is not closed', 1, ['1']],
  ['[1]\n[2]', 'something follows the array', 2, ['1']],
  ['[1,}]', 'a brace is closed', 1, ['1']],
] as const)('%j cannot be read on, and what is whole before that comes out', (body, message, line, whole) => {
  const taken: Taken[] = [];
  expect(() => split('json', body, [], taken)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message), line }),
  );
  expect(taken.map(([text]) => text)).toEqual(whole);
});

test('a byte order mark before the first message is none of it, wherever it is cut', () => {
  for (const cuts of [[], [1], [2], [3], [1, 2, 3, 4]]) {
    expect(split('ndjson', '\uFEFF1\n\uFEFF2', cuts)).toEqual([
      ['1', 1],
      ['\uFEFF2', 2],
    ]);
    expect(split('json', '\uFEFF[1]', cuts)).toEqual([['1', 1]]);
    expect(split('json', '\uFEFF{}', cuts)).toEqual([['{}', 1]]);
    // It begins like a mark.
    expect(split('json', '\uFE00', cuts)).toEqual([['\uFE00', 1]]);
  }
});

test('what is too long for a message is not held, and what follows is found', () => {
  const long = `"${'x'.repeat(MAX_MESSAGE_BYTES)}"`;
  for (const cuts of [[], [10, 2_000, 4_000, 4_200]]) {
    expect(split('json', `[1,${long},2]`, cuts)).toEqual([
      ['1', 1],
      [undefined, 1],
      ['2', 1],
    ]);
    expect(split('ndjson', `1\n${long}\n2`, cuts)).toEqual([
      ['1', 1],
      [undefined, 2],
      ['2', 3],
    ]);
  }
  expect(split('json', long)).toEqual([[undefined, 1]]);
});

test('whatever is in an array, and wherever it is cut, its elements come out', () => {
  const space = fc.constantFrom('', ' ', '\n', '\r\n\t');
  const element = fc.tuple(fc.jsonValue({ maxDepth: 3 }), space, space);
  const cuts = fc.array(fc.nat(400), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(element, { maxLength: 12 }), cuts, (elements, places) => {
      const texts = elements.map(([value]) => JSON.stringify(value));
      fc.pre(texts.every((text) => Buffer.byteLength(text) < MAX_MESSAGE_BYTES));
      const array = `[${elements.map(([, before, after], index) => before + texts[index] + after).join(',')}]`;
      expect(split('json', array, places).map(([text]) => text)).toEqual(texts);
      const lines = texts.map((text) => `${text}\n`).join('');
      expect(split('ndjson', lines, places).map(([text]) => text)).toEqual(texts);
    }),
  );
});
