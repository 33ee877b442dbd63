import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePgoutput, type Tuple } from './pgoutput.ts';

// An encoder of the documented format, written apart from the reader.
const int = (size: 1 | 2 | 4 | 8, value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - size);
};
const text = (value: string): Buffer => Buffer.from(value);
const text0 = (value: string): Buffer => Buffer.from(`${value}\0`);
const tuple = (values: Tuple): Buffer =>
  Buffer.concat([
    int(2, values.length),
    ...values.map((value) => {
      if (value === undefined) return text('u');
      if (value === null) return text('n');
      return Buffer.concat([text('t'), int(4, Buffer.byteLength(value)), text(value)]);
    }),
  ]);
const message = (...parts: Buffer[]): Buffer => Buffer.concat(parts);

const anyTuple = fc.array(
  fc.oneof(fc.string({ unit: 'binary' }), fc.constant(null), fc.constant(undefined)),
  {
    maxLength: 8,
  },
);
const anyId = fc.nat(0xff_ff_ff_ff);

describe('a pgoutput message', () => {
  test('of a row is read as it was written', () => {
    fc.assert(
      fc.property(anyId, anyTuple, anyTuple, (relationId, before, after) => {
        const id = int(4, relationId);
        expect(parsePgoutput(message(text('I'), id, text('N'), tuple(after)))).toEqual({
          kind: 'insert',
          relationId,
          after,
        });
        expect(parsePgoutput(message(text('D'), id, text('K'), tuple(before)))).toEqual({
          kind: 'delete',
          relationId,
          before,
        });
        for (const letter of ['K', 'O']) {
          const update = message(text('U'), id, text(letter), tuple(before), text('N'), tuple(after));
          expect(parsePgoutput(update)).toEqual({ kind: 'update', relationId, before, after });
        }
        expect(parsePgoutput(message(text('U'), id, text('N'), tuple(after)))).toEqual({
          kind: 'update',
          relationId,
          before: undefined,
          after,
        });
      }),
    );
  });

  test('of a transaction carries its number and when it was made at its begin, and the position after it at its commit', () => {
    const begin = message(text('B'), int(8, 7), int(8, 1_500_000), int(4, 9));
    expect(parsePgoutput(begin)).toEqual({
      kind: 'begin',
      madeAtMs: Date.UTC(2000, 0, 1) + 1_500,
      transactionId: 9,
    });
    const commit = message(text('C'), int(1, 0), int(8, 7), int(8, 0x16_b374_d848n), int(8, 1_500_000));
    expect(parsePgoutput(commit)).toEqual({ kind: 'commit', endLsn: 0x16_b374_d848n });
  });

  test('that was written into a transaction is read with its prefix; one outside of it is nothing of ours', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (anyPrefix, content) => {
        const prefix = anyPrefix.replaceAll('\0', '');
        const bytes = (flags: number): Buffer =>
          message(
            text('M'),
            int(1, flags),
            int(8, 7),
            text0(prefix),
            int(4, Buffer.byteLength(content)),
            text(content),
          );
        expect(parsePgoutput(bytes(1))).toEqual({ kind: 'message', prefix, content });
        expect(parsePgoutput(bytes(0))).toEqual({ kind: 'other' });
      }),
    );
  });

  test('of a relation names table, columns and key', () => {
    const column = (flags: number, name: string): Buffer =>
      message(int(1, flags), text0(name), int(4, 25), int(4, 0xff_ff_ff_ff));
    const relation = message(
      text('R'),
      int(4, 42),
      text0('public'),
      text0('tickets'),
      text('i'),
      int(2, 2),
      column(1, 'id'),
      column(0, 'ção'),
    );
    expect(parsePgoutput(relation)).toEqual({
      kind: 'relation',
      relation: {
        id: 42,
        schema: 'public',
        table: 'tickets',
        columns: [
          { name: 'id', isKey: true },
          { name: 'ção', isKey: false },
        ],
      },
    });
  });

  test('of a truncate names every table', () => {
    const truncate = message(text('T'), int(4, 2), int(1, 1), int(4, 7), int(4, 9));
    expect(parsePgoutput(truncate)).toEqual({ kind: 'truncate', relationIds: [7, 9] });
  });

  test.each(['O', 'Y'])('of the kind %s is nothing of ours', (letter) => {
    expect(parsePgoutput(text(`${letter}rest`))).toEqual({ kind: 'other' });
  });

  test('that is cut short is refused, wherever it is cut', () => {
    const whole = message(
      text('U'),
      int(4, 1),
      text('K'),
      tuple(['a', null, 'bc']),
      text('N'),
      tuple(['a', 'd', 'ef']),
    );
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => parsePgoutput(whole.subarray(0, length))).toThrow(RangeError);
    }
  });
});
