import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeWith, encode } from '../../../testing/firestore/stand-in/protocol.ts';
import type { Value } from '../../../testing/firestore/stand-in/messages.ts';
import { readEventDetails, readFields, readTicket } from './documents.ts';
import { decodeCountResponse, decodeListenResponse, type DocumentChange } from './messages.ts';
import { encodeAddTarget, encodeBatchGet, encodeCount, encodeRemoveTarget } from './requests.ts';
import { ProtobufError } from './protobuf.ts';

/** 2026-05-03 19:00:00.123456 UTC. */
const AT_US = 1_777_834_800_123_456;
const AT = { seconds: 1_777_834_800, nanos: 123_456_000 };
const DATABASE = 'projects/p/databases/(default)';
const PARENT = `${DATABASE}/documents/events/e`;

const TICKET: Readonly<Record<string, Value>> = {
  nome: { stringValue: 'José' },
  foto: { bytesValue: Buffer.alloc(1_000_000, 1) },
  isValidTicket: { booleanValue: true },
  entrou: { booleanValue: false },
  setor: { stringValue: '11' },
  historico: { arrayValue: { values: [{ mapValue: { fields: { entrou: { booleanValue: true } } } }] } },
  lido: { timestampValue: AT },
  peso: { doubleValue: 1.5 },
};

/** Encoded by Google's own description of the protocol. */
function documentOf(fields: Readonly<Record<string, Value>>): DocumentChange {
  const document = { name: `${PARENT}/tickets/a`, fields, updateTime: AT };
  const response = decodeListenResponse(
    encode('ListenResponse', { documentChange: { document, targetIds: [1, 300], removedTargetIds: [2] } }),
  );
  if (response?.kind !== 'document') throw new Error(`decoded as ${response?.kind}`);
  return response;
}

test('a document is decoded with its targets and its time, and of a ticket three fields are read', () => {
  const { document, targetIds, removedTargetIds } = documentOf(TICKET);
  expect([targetIds, removedTargetIds, document.updateTimeUs]).toEqual([[1, 300], [2], AT_US]);
  expect(document.name.toString()).toBe(`${PARENT}/tickets/a`);
  expect(readTicket(document)).toEqual({
    isValidTicket: true,
    entrou: false,
    setor: '11',
    isMalformed: false,
  });
});

test.each<[string, Readonly<Record<string, Value | undefined>>, object]>([
  ['entrou is text', { entrou: { stringValue: 'true' } }, { entrou: false }],
  ['entrou is a number', { entrou: { integerValue: '1' } }, { entrou: false }],
  ['entrou is missing', { entrou: undefined }, { entrou: false }],
  ['setor is a number', { setor: { integerValue: '11' } }, { setor: '' }],
  ['setor is null', { setor: { nullValue: 0 } }, { setor: '' }],
  ['isValidTicket is text', { isValidTicket: { stringValue: 'sim' } }, { isValidTicket: false }],
  [
    'setor is very long',
    { setor: { stringValue: 'x'.repeat(1e6) } },
    { setor: 'x'.repeat(100), isMalformed: false },
  ],
])('a ticket counts as queries would count it where %s', (_what, fields, expected) => {
  const all = Object.entries({ ...TICKET, ...fields }).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  );
  const { document } = documentOf(Object.fromEntries(all) as Record<string, Value>);
  const valid = { isValidTicket: true, entrou: false, setor: '11', isMalformed: true };
  expect(readTicket(document)).toEqual({ ...valid, ...expected });
});

test('every other kind of response is decoded', () => {
  const decode = (message: object) => decodeListenResponse(encode('ListenResponse', message));
  const name = `${PARENT}/tickets/a`;
  const removal = { kind: 'removal', name: Buffer.from(name), targetIds: [1], readTimeUs: AT_US };
  expect(decode({ documentDelete: { document: name, removedTargetIds: [1], readTime: AT } })).toEqual(
    removal,
  );
  expect(decode({ documentRemove: { document: name, removedTargetIds: [1], readTime: AT } })).toEqual(
    removal,
  );
  expect(decode({ filter: { targetId: 1, count: 43_680 } })).toEqual({
    kind: 'filter',
    targetId: 1,
    count: 43_680,
  });
  const change = { kind: 'target', change: 'none', targetIds: [], cause: undefined };
  expect(decode({ targetChange: { resumeToken: Buffer.from('t'), readTime: AT } })).toEqual({
    ...change,
    resumeToken: Buffer.from('t'),
    readTimeUs: AT_US,
  });
  const cause = { code: 7, message: 'Não' };
  expect(decode({ targetChange: { targetChangeType: 2, targetIds: [7, 8], cause } })).toMatchObject({
    change: 'remove',
    targetIds: [7, 8],
    cause,
  });
  expect(decode({})).toBeUndefined();
});

test('requests are what Google describes', () => {
  const query = {
    parent: PARENT,
    collectionId: 'tickets',
    where: [
      { field: 'entrou', equals: true },
      { field: 'setor', equals: '4' },
    ],
  };
  const token = Buffer.from('token');
  expect(
    decodeWith('ListenRequest', encodeAddTarget(DATABASE, { id: 300, of: { query }, resumeToken: token })),
  ).toMatchObject({
    database: DATABASE,
    addTarget: {
      targetId: 300,
      resumeToken: token,
      query: {
        parent: PARENT,
        structuredQuery: {
          from: [{ collectionId: 'tickets' }],
          where: {
            compositeFilter: {
              op: 1,
              filters: [
                { fieldFilter: { field: { fieldPath: 'entrou' }, op: 5, value: { booleanValue: true } } },
                { fieldFilter: { field: { fieldPath: 'setor' }, op: 5, value: { stringValue: '4' } } },
              ],
            },
          },
        },
      },
    },
  });
  const document = encodeAddTarget(DATABASE, { id: 1, of: { document: PARENT }, resumeToken: undefined });
  expect(decodeWith('ListenRequest', document)).toMatchObject({
    addTarget: { targetId: 1, documents: { documents: [PARENT] } },
  });
  expect(decodeWith('ListenRequest', encodeRemoveTarget(DATABASE, 300))).toMatchObject({ removeTarget: 300 });
  expect(decodeWith('RunAggregationQueryRequest', encodeCount({ ...query, where: [] }, AT_US))).toMatchObject(
    {
      parent: PARENT,
      structuredAggregationQuery: {
        structuredQuery: { from: [{ collectionId: 'tickets' }] },
        aggregations: [{ alias: 'count', count: {} }],
      },
      readTime: { seconds: String(AT.seconds), nanos: AT.nanos },
    },
  );
  expect(
    decodeWith('BatchGetDocumentsRequest', encodeBatchGet(DATABASE, [PARENT], ['a', 'b'])),
  ).toMatchObject({
    database: DATABASE,
    documents: [PARENT],
    mask: { fieldPaths: ['a', 'b'] },
  });
});

test('a count is read with its time', () => {
  const response = { result: { aggregateFields: { count: { integerValue: '43680' } } }, readTime: AT };
  expect(decodeCountResponse(encode('RunAggregationQueryResponse', response))).toEqual({
    count: 43_680,
    readTimeUs: AT_US,
  });
  expect(decodeCountResponse(encode('RunAggregationQueryResponse', { readTime: AT }))).toBeUndefined();
});

test("an event's document gives metadata where it has some", () => {
  const fields = {
    title: { stringValue: 'Palestra × Atlético' },
    gates_open_at: { timestampValue: AT },
    kick_off_at: { stringValue: '19:00' },
    time_zone: { stringValue: 'America/Nowhere' },
  };
  expect(readEventDetails(documentOf(fields).document)).toEqual({
    title: 'Palestra × Atlético',
    gatesOpenAtMs: Math.floor(AT_US / 1_000),
    kickOffAtMs: null,
    timeZone: null,
  });
  expect(readEventDetails(documentOf({ nome: { stringValue: 'x' } }).document)).toBeUndefined();
});

test("a sector's document is read whole", () => {
  const fields: Readonly<Record<string, Value>> = {
    nome: { stringValue: 'NORTE' },
    lugares: { integerValue: '-12' },
    muitos: { integerValue: '9007199254740993' },
    cheio: { doubleValue: 0.5 },
    aberto: { booleanValue: true },
    nada: { nullValue: 0 },
    desde: { timestampValue: { seconds: 0, nanos: 0 } },
    foto: { bytesValue: Buffer.from('abc') },
    de: { referenceValue: 'projects/p' },
    em: { geoPointValue: { latitude: -3.8, longitude: -38.5 } },
    portoes: {
      arrayValue: { values: [{ stringValue: 'A' }, { mapValue: { fields: { n: { integerValue: '1' } } } }] },
    },
  };
  expect(readFields(documentOf(fields).document)).toEqual({
    nome: 'NORTE',
    lugares: -12,
    muitos: 9_007_199_254_740_992,
    cheio: 0.5,
    aberto: true,
    nada: null,
    desde: '1970-01-01T00:00:00.000Z',
    foto: 'YWJj',
    de: 'projects/p',
    em: { latitude: -3.8, longitude: -38.5 },
    portoes: ['A', { n: 1 }],
  });
});

/** Returns what can be read of these bytes; `undefined` where they are no message. */
function read(bytes: Buffer): unknown {
  try {
    const response = decodeListenResponse(bytes);
    if (response?.kind !== 'document') return response;
    return [
      readTicket(response.document),
      readFields(response.document),
      readEventDetails(response.document),
    ];
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    return undefined;
  }
}

test('a message that is cut at any byte is refused, or is a whole one that lacks its end', () => {
  const { foto: _foto, ...fields } = TICKET;
  const document = { name: `${PARENT}/tickets/a`, fields, updateTime: AT };
  const whole = encode('ListenResponse', {
    documentChange: { document, targetIds: [1], removedTargetIds: [] },
  });
  // The field that holds everything says how long it is.
  for (let length = 1; length < whole.length; length += 1)
    expect([length, read(whole.subarray(0, length))]).toEqual([length, undefined]);
  const change = encode('TargetChange', { targetChangeType: 3, targetIds: [1, 2], readTime: AT });
  const cuts = Array.from({ length: change.length }, (_, length) => change.subarray(0, length));
  const kinds = new Set(
    cuts.map((cut) => (read(Buffer.from([0x12, cut.length, ...cut])) as { kind?: string } | undefined)?.kind),
  );
  expect(kinds).toEqual(new Set(['target', undefined]));
});

test('bytes that are anything are a message, or are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(4), (bytes, kind) => {
      read(Buffer.from(bytes));
      read(Buffer.from([(kind + 2) * 8 + 2, bytes.length, ...bytes]));
    }),
    { numRuns: 2_000 },
  );
});
