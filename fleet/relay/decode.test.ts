import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CountsSlice, type DocumentsSlice, MAX_DOCUMENTS_BYTES } from '../../domain/event-state.ts';
import { formatPosition } from '../../domain/log-position.ts';
import { MAX_CODES, Tally } from '../../domain/tally.ts';
import { decodeAnswer, decodeAsk, decodeState, RefusedMessage } from './decode.ts';
import { encodeAnswer, encodeAsk, encodeState } from './encode.ts';
import type { StateAddress } from './subjects.ts';
import { type CountsMessage, digestOf, MAX_STATE_BYTES, NO_DOCUMENTS } from './wire.ts';

const EVENT_ID = 'e'.repeat(32);
const FROM = { counter: 'c1', run: 'abc' };
const POSITION = formatPosition('7', 1, 9n);
const ADDRESS: StateAddress = { counter: 'c1', eventId: EVENT_ID, slice: 'counts' };
const DOCUMENTS: StateAddress = { ...ADDRESS, slice: 'documents' };

const numbers = { tickets: 3, admitted: 2, valid: 1 };
const COUNTS: CountsSlice = {
  kind: 'counts',
  eventId: EVENT_ID,
  epoch: 'ab12cd',
  version: 4,
  position: POSITION,
  tickets: 6,
  admitted: 4,
  valid: 2,
  codes: [{ code: '__proto__', ...numbers }],
  rest: numbers,
};
const MESSAGE: CountsMessage = {
  from: FROM,
  state: COUNTS,
  server: '1764385991123456',
  documents: { position: POSITION, digest: NO_DOCUMENTS },
  details: undefined,
  incomplete: undefined,
};

function documentsOf(data: unknown): DocumentsSlice {
  return { kind: 'documents', eventId: EVENT_ID, position: POSITION, documents: [{ code: '4', data }] };
}

function bytesOf(change: (fields: Record<string, unknown>) => void): Buffer {
  const fields = JSON.parse(encodeState(MESSAGE).toString()) as Record<string, unknown>;
  change(fields);
  return Buffer.from(JSON.stringify(fields));
}

function refusalOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof RefusedMessage) return error.refusal;
    throw error;
  }
  return 'taken';
}

test('what is encoded is decoded again, with every code unchanged', () => {
  expect(decodeState(encodeState(MESSAGE), ADDRESS)).toEqual(MESSAGE);
  const digest = digestOf([]);
  const documents = {
    from: FROM,
    state: documentsOf({ 'a"\u2028': [null, 1.5, 'ç'] }),
    server: '1764385991123456',
    digest,
  };
  expect(decodeState(encodeState(documents), DOCUMENTS)).toEqual(documents);
  for (const details of [
    undefined,
    { title: 'Clássico', gatesOpenAtMs: 1, kickOffAtMs: null, timeZone: null },
  ]) {
    const message = {
      from: FROM,
      state: { kind: 'details', eventId: EVENT_ID, position: POSITION, details },
      server: undefined,
      digest,
    } as const;
    expect(decodeState(encodeState(message), { ...ADDRESS, slice: 'details' })).toEqual(message);
  }
  for (const incomplete of [
    [],
    [{ row: null, fromMs: null, toMs: null }],
    [
      { row: '7', fromMs: 1, toMs: 2 },
      { row: null, fromMs: 1, toMs: null },
    ],
  ]) {
    const state = { kind: 'incomplete', eventId: EVENT_ID, position: POSITION, incomplete } as const;
    for (const told of [state, { ...state, evacuatedAtMs: 1 }]) {
      const message = { from: FROM, state: told, server: undefined, digest };
      expect(decodeState(encodeState(message), { ...ADDRESS, slice: 'incomplete' })).toEqual(message);
    }
    // As versions that know of no evacuation say it.
    const none = { from: FROM, state: { ...state, evacuatedAtMs: null }, server: undefined, digest };
    expect(encodeState(none)).toEqual(encodeState({ ...none, state }));
  }
  const told = { ...MESSAGE, incomplete: { position: POSITION, digest } };
  expect(decodeState(encodeState(told), ADDRESS)).toEqual(told);
  const answer = { from: FROM, position: POSITION, live: false, ageMs: 12, reason: 'lag' } as const;
  for (const [server, atMs] of [
    [undefined, undefined],
    ['1764385991123456', 34],
  ] as const)
    expect(decodeAnswer(encodeAnswer({ ...answer, server, atMs }))).toEqual({ ...answer, server, atMs });
  const primaries = {
    c1: { timeline: '1ll8xiaw0a6ih.11', server: '1764385991123456' },
    c2: { timeline: '1ll8xiaw0a6ih.R1112', server: undefined },
  };
  expect(decodeAsk(encodeAsk(primaries))).toEqual(primaries);
  // As versions that do not name them ask.
  expect(decodeAsk(Buffer.from(JSON.stringify({ wire: 1 })))).toEqual({});
});

test('fields that a later version adds are ignored', () => {
  const message = bytesOf((fields) => Object.assign(fields, { more: { of: ['it'] }, constructor: 1 }));
  expect(decodeState(message, ADDRESS)).toEqual(MESSAGE);
});

test('a state of a version that does not name the server is taken', () => {
  const message = bytesOf((fields) => delete fields['server']);
  expect(decodeState(message, ADDRESS)).toEqual({ ...MESSAGE, server: undefined });
});

test('another version is refused by its number', () => {
  for (const wire of [0, 2, 99]) {
    expect(
      refusalOf(() =>
        decodeState(
          bytesOf((fields) => (fields['wire'] = wire)),
          ADDRESS,
        ),
      ),
    ).toBe('wire');
    expect(refusalOf(() => decodeAnswer(Buffer.from(JSON.stringify({ wire }))))).toBe('wire');
    expect(refusalOf(() => decodeAsk(Buffer.from(JSON.stringify({ wire }))))).toBe('wire');
  }
});

test('a state is refused under any subject but its own', () => {
  const others: Partial<StateAddress>[] = [
    { counter: 'c2' },
    { eventId: 'f'.repeat(32) },
    { slice: 'documents' },
  ];
  for (const other of others) {
    expect(refusalOf(() => decodeState(encodeState(MESSAGE), { ...ADDRESS, ...other }))).toBe('subject');
  }
});

describe('refused, and nothing else happens:', () => {
  const malformed: Record<string, (fields: Record<string, unknown>) => void> = {
    'an epoch that would begin a line of the live stream': (fields) => (fields['epoch'] = 'a\n\ndata: {}'),
    'a position that is none': (fields) => (fields['position'] = '7.1'),
    'a position that would begin a line': (fields) => (fields['position'] = `${POSITION}\nevent: counts`),
    'counts that do not add up': (fields) => ((fields['counted'] as unknown[])[0] = 7),
    'more who entered than there are tickets': (fields) => (fields['counted'] = [1, 2, 0, [], [1, 2, 0]]),
    'negative counts': (fields) => (fields['counted'] = [-1, -1, -1, [], [-1, -1, -1]]),
    'counts that are no whole numbers': (fields) => (fields['counted'] = [1.5, 0, 0, [], [1.5, 0, 0]]),
    'counts too large to be exact': (fields) => (fields['counted'] = [2 ** 53, 0, 0, [], [2 ** 53, 0, 0]]),
    'a code twice': (fields) =>
      (fields['counted'] = [
        2,
        0,
        0,
        [
          ['4', 1, 0, 0],
          ['4', 1, 0, 0],
        ],
        [0, 0, 0],
      ]),
    'more codes than are kept apart': (fields) =>
      (fields['counted'] = [0, 0, 0, Array.from({ length: 1_001 }, (_, n) => [`${n}`, 0, 0, 0]), [0, 0, 0]]),
    'no version of the documents': (fields) => delete fields['documents'],
    'no sender': (fields) => delete fields['run'],
    'no version': (fields) => delete fields['wire'],
    'a version that is no number': (fields) => (fields['wire'] = { valueOf: 1 }),
  };
  test.each(Object.entries(malformed))('%s', (_name, change) => {
    expect(refusalOf(() => decodeState(bytesOf(change), ADDRESS))).toBe('form');
  });

  test.each(['', '{', 'null', '[]', '1', '"a"', '{"__proto__":{"wire":1}}', '\u0000'])('%j', (text) => {
    expect(refusalOf(() => decodeState(Buffer.from(text), ADDRESS))).toBe('form');
    expect(refusalOf(() => decodeAnswer(Buffer.from(text)))).toBe('form');
  });

  test('text that is no UTF-8', () => {
    expect(refusalOf(() => decodeState(Buffer.from([0x22, 0xff, 0x22]), ADDRESS))).toBe('form');
  });

  test('a message of a megabyte, before it is read', () => {
    expect(refusalOf(() => decodeState(Buffer.alloc(1_048_576, '['), ADDRESS))).toBe('size');
    expect(refusalOf(() => decodeAnswer(Buffer.alloc(4_096, '[')))).toBe('size');
  });

  test('documents nested so deep that they cannot be serialized again', () => {
    const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    for (const depth of [502, 100_000]) {
      const text = `{"wire":1,"counter":"c1","run":"a","event":"${EVENT_ID}","part":"documents","position":"${POSITION}","digest":"a","documents":[{"code":"4","data":${deep(depth)}}]}`;
      expect(refusalOf(() => decodeState(Buffer.from(text), DOCUMENTS))).toBe('form');
    }
  });

  test.each([
    {},
    [null],
    [{ row: 7, fromMs: 1, toMs: null }],
    [{ row: '7', fromMs: '1', toMs: null }],
    [{ row: '7', fromMs: 1 }],
    [{ row: '7', fromMs: 1, toMs: 9e15 }],
    Array.from({ length: 1_001 }, () => ({ row: '7', fromMs: 1, toMs: 2 })),
  ])('malformed incomplete counts: %j', (incomplete) => {
    const head = { wire: 1, ...FROM, event: EVENT_ID, part: 'incomplete', position: POSITION, digest: 'a' };
    const bytes = Buffer.from(JSON.stringify({ ...head, incomplete }));
    expect(refusalOf(() => decodeState(bytes, { ...ADDRESS, slice: 'incomplete' }))).toBe('form');
  });

  test.each(['1', true, 9e15, {}])('an evacuation at no instant: %j', (evacuatedAtMs) => {
    const head = { wire: 1, ...FROM, event: EVENT_ID, part: 'incomplete', position: POSITION, digest: 'a' };
    const bytes = Buffer.from(JSON.stringify({ ...head, incomplete: [], evacuatedAtMs }));
    expect(refusalOf(() => decodeState(bytes, { ...ADDRESS, slice: 'incomplete' }))).toBe('form');
  });

  test('a message that is cut off or has a changed byte, unless it is still well-formed', () => {
    const bytes = encodeState(MESSAGE);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(refusalOf(() => decodeState(bytes.subarray(0, length), ADDRESS))).not.toBe('taken');
    }
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        expect(['taken', 'form', 'wire', 'subject']).toContain(
          refusalOf(() => decodeState(changed, ADDRESS)),
        );
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(refusalOf(() => decodeState(Buffer.from(JSON.stringify(value)), ADDRESS))).not.toBe('taken');
      }),
    );
  });

  test('no message pollutes the prototype of objects', () => {
    const right = encodeState(MESSAGE).toString();
    const polluting = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    const bytes = Buffer.from(`{${polluting},${right.slice(1)}`);
    decodeState(bytes, ADDRESS);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

test('a state that is too large for one message is not encoded', () => {
  const state = documentsOf('x'.repeat(MAX_STATE_BYTES));
  expect(() => encodeState({ from: FROM, state, server: undefined, digest: 'a' })).toThrow(RangeError);
});

test('the most counts, and the most documents, fit one message', () => {
  const digits = 10 ** 12;
  const tally = new Tally([]);
  for (let n = 0; n < MAX_CODES; n += 1) {
    const setor = String(n).padEnd(64, '\u0001');
    tally.add({ isValidTicket: true, entrou: true, setor }, digits);
  }
  tally.add({ isValidTicket: true, entrou: true, setor: '\u0001'.repeat(MAX_STATE_BYTES) }, digits);
  const eventId = 'x'.repeat(1_500);
  const counts = { ...COUNTS, eventId, ...tally.counts() };
  expect(counts.codes).toHaveLength(MAX_CODES);
  expect(() => encodeState({ ...MESSAGE, state: counts })).not.toThrow();
  const documents = { ...documentsOf('x'.repeat(MAX_DOCUMENTS_BYTES)), eventId };
  expect(() =>
    encodeState({ from: FROM, state: documents, server: undefined, digest: 'a'.repeat(64) }),
  ).not.toThrow();
});
