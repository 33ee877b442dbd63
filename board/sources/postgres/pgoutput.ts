import { fromPostgresTime } from './postgres-time.ts';

/**
 * Reads the messages of PostgreSQL's `pgoutput` plug-in, protocol version 1.
 * Source: PostgreSQL documentation, "Logical Replication Message Formats".
 */

/** A table as the stream describes it before its first change. */
export interface Relation {
  readonly id: number;
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly RelationColumn[];
}

interface RelationColumn {
  readonly name: string;
  /** Part of the replica identity: its old value arrives with an update or a delete. */
  readonly isKey: boolean;
}

/** Values as text, in the order of the relation's columns. `undefined`: unchanged, and too large to repeat. */
export type Tuple = readonly (string | null | undefined)[];

export type PgoutputMessage =
  /**
   * `madeAtMs`: Unix time of the commit by the clock of the server where it was made; a subscription brings its publisher's.
   * `transactionId`: the lower 32 bits.
   */
  | { readonly kind: 'begin'; readonly madeAtMs: number; readonly transactionId: number }
  /** `endLsn`: the position after the commit; every commit before it has been sent. */
  | { readonly kind: 'commit'; readonly endLsn: bigint }
  | { readonly kind: 'relation'; readonly relation: Relation }
  | { readonly kind: 'insert'; readonly relationId: number; readonly after: Tuple }
  /** No `before`: no column of the replica identity changed. */
  | {
      readonly kind: 'update';
      readonly relationId: number;
      readonly before: Tuple | undefined;
      readonly after: Tuple;
    }
  | { readonly kind: 'delete'; readonly relationId: number; readonly before: Tuple }
  | { readonly kind: 'truncate'; readonly relationIds: readonly number[] }
  /** What `pg_logical_emit_message` wrote into a transaction, as text. */
  | { readonly kind: 'message'; readonly prefix: string; readonly content: string }
  /** Origins, types, and messages outside of a transaction: nothing of ours. */
  | { readonly kind: 'other' };

/** Throws a RangeError when `bytes` is cut short. */
export function parsePgoutput(bytes: Buffer): PgoutputMessage {
  const reader = new Reader(bytes);
  switch (reader.letter()) {
    case 'B':
      return {
        kind: 'begin',
        madeAtMs: fromPostgresTime(bytes.readBigInt64BE(9)),
        transactionId: bytes.readUInt32BE(17),
      };
    case 'C':
      return { kind: 'commit', endLsn: bytes.readBigUInt64BE(10) };
    case 'R':
      return { kind: 'relation', relation: readRelation(reader) };
    case 'I': {
      const relationId = reader.int32();
      reader.letter();
      return { kind: 'insert', relationId, after: readTuple(reader) };
    }
    case 'U':
      return readUpdate(reader);
    case 'D': {
      const relationId = reader.int32();
      reader.letter();
      return { kind: 'delete', relationId, before: readTuple(reader) };
    }
    case 'T': {
      const length = reader.int32();
      reader.skip(1);
      return { kind: 'truncate', relationIds: Array.from({ length }, () => reader.int32()) };
    }
    case 'M':
      return readMessage(reader);
    default:
      return { kind: 'other' };
  }
}

function readMessage(reader: Reader): PgoutputMessage {
  const isTransactional = (reader.int8() & 1) === 1;
  reader.skip(8);
  const prefix = reader.text0();
  const content = reader.text(reader.int32());
  return isTransactional ? { kind: 'message', prefix, content } : { kind: 'other' };
}

function readUpdate(reader: Reader): PgoutputMessage {
  const relationId = reader.int32();
  let before: Tuple | undefined;
  // 'K' or 'O' (old key, old row) may precede 'N' (new row).
  if (reader.letter() !== 'N') {
    before = readTuple(reader);
    reader.letter();
  }
  return { kind: 'update', relationId, before, after: readTuple(reader) };
}

function readRelation(reader: Reader): Relation {
  const id = reader.int32();
  const schema = reader.text0();
  const table = reader.text0();
  reader.skip(1);
  const columns = Array.from({ length: reader.int16() }, () => {
    const isKey = (reader.int8() & 1) === 1;
    const name = reader.text0();
    reader.skip(8);
    return { name, isKey };
  });
  return { id, schema, table, columns };
}

function readTuple(reader: Reader): Tuple {
  const length = reader.int16();
  const values: (string | null | undefined)[] = [];
  for (let column = 0; column < length; column += 1) {
    const form = reader.letter();
    if (form === 't') values.push(reader.text(reader.int32()));
    else values.push(form === 'n' ? null : undefined);
  }
  return values;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int8(): number {
    return this.#bytes.readUInt8(this.skip(1));
  }

  int16(): number {
    return this.#bytes.readUInt16BE(this.skip(2));
  }

  int32(): number {
    return this.#bytes.readUInt32BE(this.skip(4));
  }

  letter(): string {
    return String.fromCharCode(this.int8());
  }

  text(length: number): string {
    const start = this.skip(length);
    if (this.#at > this.#bytes.length)
      throw new RangeError('a pgoutput message ends in the middle of a value');
    return this.#bytes.toString('utf8', start, this.#at);
  }

  /** A text that a zero byte ends. */
  text0(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new RangeError('a pgoutput message ends in the middle of a name');
    const text = this.text(end - this.#at);
    this.skip(1);
    return text;
  }

  /** Moves on and returns where it was. */
  skip(length: number): number {
    const start = this.#at;
    this.#at += length;
    return start;
  }
}
