/** The bytes are no message of the protocol. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

const [VARINT, FIXED_64, LENGTH_DELIMITED, FIXED_32] = [0, 1, 2, 5];
/** A varint has seven bits a byte. */
const VARINT_BYTES = 10;

/**
 * Reads one protobuf message, field by field: `next` goes to the next field, which exactly one of the other methods then
 * reads or skips. It copies nothing but texts.
 */
export class ProtobufReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  #wireType = VARINT;

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  /** The number of the next field; 0 at the end of the message. */
  next(): number {
    if (this.#at === this.#end) return 0;
    const tag = this.#varint();
    this.#wireType = tag % 8;
    const field = Math.floor(tag / 8);
    if (field === 0) throw new ProtobufError('a field has no number');
    return field;
  }

  /** Exact up to 2^53. */
  unsigned(): number {
    this.#expect(VARINT);
    return this.#varint();
  }

  /** An int32, int64 or enumeration, exact as far as a number is. */
  signed(): number {
    this.#expect(VARINT);
    return this.#signed();
  }

  /** A repeated int32, packed or not. */
  signedInto(values: number[]): void {
    if (this.#wireType === VARINT) {
      values.push(this.#signed());
      return;
    }
    const end = this.#endOfLength();
    while (this.#at < end) values.push(this.#signed());
    if (this.#at !== end) throw new ProtobufError('a number goes beyond its field');
  }

  double(): number {
    this.#expect(FIXED_64);
    return this.#bytes.readDoubleLE(this.#advance(8));
  }

  /** A view of the bytes, not a copy. */
  bytes(): Buffer {
    const end = this.#endOfLength();
    return this.#bytes.subarray(this.#advance(end - this.#at), end);
  }

  text(): string {
    const end = this.#endOfLength();
    return this.#bytes.toString('utf8', this.#advance(end - this.#at), end);
  }

  /** The message in this field. */
  message(): ProtobufReader {
    const end = this.#endOfLength();
    return new ProtobufReader(this.#bytes, this.#advance(end - this.#at), end);
  }

  skip(): void {
    switch (this.#wireType) {
      case VARINT:
        this.#varint();
        return;
      case FIXED_64:
        this.#advance(8);
        return;
      case LENGTH_DELIMITED:
        this.#at = this.#endOfLength();
        return;
      case FIXED_32:
        this.#advance(4);
        return;
      default:
        throw new ProtobufError(`a field has the wire type ${this.#wireType}`);
    }
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType)
      throw new ProtobufError(`a field has the wire type ${this.#wireType}, not ${wireType}`);
  }

  /** Returns where it was. */
  #advance(byBytes: number): number {
    const at = this.#at;
    if (byBytes > this.#end - at) throw new ProtobufError('the message ends within a field');
    this.#at = at + byBytes;
    return at;
  }

  #endOfLength(): number {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#varint();
    if (length > this.#end - this.#at) throw new ProtobufError('the message ends within a field');
    return this.#at + length;
  }

  #signed(): number {
    const at = this.#at;
    const value = this.#varint();
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    // Two's complement of 64 bits.
    let bits = 0n;
    for (let n = at; n < this.#at; n += 1) bits |= BigInt(this.#byteAt(n) & 0x7f) << BigInt(7 * (n - at));
    return Number(BigInt.asIntN(64, bits));
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let n = 0; n < VARINT_BYTES; n += 1) {
      const byte = this.#byteAt(this.#advance(1));
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new ProtobufError('a number has more than ten bytes');
  }

  #byteAt(at: number): number {
    return this.#bytes[at] ?? 0;
  }
}

/** A message of these encoded fields. */
export const encodeMessage = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

/** A number that is not negative, or an enumeration. */
export function encodeNumber(field: number, value: number): Buffer {
  return Buffer.from([...varint(field * 8 + VARINT), ...varint(value)]);
}

/** Text, bytes or a message. */
export function encodeBytes(field: number, value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([
    Buffer.from([...varint(field * 8 + LENGTH_DELIMITED), ...varint(bytes.length)]),
    bytes,
  ]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return [...bytes, rest];
}
