import { isAscii, isUtf8 } from 'node:buffer';
import { GatesError } from '../../cli/errors.ts';
import { findMultibyte, openEnd } from './utf-8.ts';
import { decodeWindows1252 } from './windows-1252.ts';

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;

export type Encoding = (typeof ENCODINGS)[number];

const UTF_8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The first bytes of Excel workbooks, new (which are zip archives) and old, and of a gzip archive. */
const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const NO_TEXTS = [Buffer.from('PK\u0003\u0004'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), GZIP];
const NEWLINE = 0x0a;

/** A text as UTF-8 without a byte order mark. No character is ever replaced by another. */
export interface DecodedText {
  /** The encoding as far as it is known: Windows-1252 shows only at the first byte that UTF-8 does not allow. */
  readonly encoding: Encoding;
  readonly chunks: AsyncIterable<Buffer>;
}

/**
 * Decodes a text chunk by chunk. `given` overrides detection. The chunks throw a GatesError with the line where the bytes
 * are no text of the encoding.
 */
export async function decodeText(bytes: AsyncIterable<Buffer>, given?: Encoding): Promise<DecodedText> {
  const source = bytes[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  if (given === undefined && NO_TEXTS.some((magic) => startsWith(head, magic))) {
    throw new GatesError(
      startsWith(head, GZIP)
        ? 'The file is compressed: unpack it. If "backup" wrote it, "restore" reads it as it is.'
        : 'The file is an Excel workbook, or an archive: save it as CSV (UTF-8), or unpack it.',
    );
  }
  const decoder = new Decoder(given ?? detect(head), given !== undefined);
  const rest: AsyncIterable<Buffer> = { [Symbol.asyncIterator]: () => source };
  return {
    get encoding() {
      return decoder.encoding;
    },
    chunks: decoder.decode(head.subarray(markLength(head, decoder.encoding)), rest),
  };
}

class Decoder {
  encoding: Encoding;
  readonly #isGiven: boolean;
  #line = 1;
  /** The line of the first multibyte character. */
  #multibyteLine: number | undefined;
  /** The line of the first bytes that are not UTF-8. */
  #otherLine: number | undefined;

  constructor(encoding: Encoding, isGiven: boolean) {
    this.encoding = encoding;
    this.#isGiven = isGiven;
  }

  async *decode(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const utf16 = this.encoding.startsWith('utf-16')
      ? new TextDecoder(this.encoding, { fatal: true, ignoreBOM: true })
      : undefined;
    let open: Buffer = Buffer.alloc(0);
    for await (const chunk of withHead(head, rest)) {
      if (utf16) {
        yield this.#fromUtf16(utf16, chunk);
        continue;
      }
      const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
      const end = bytes.length - openEnd(bytes);
      open = bytes.subarray(end);
      yield this.#fromBytes(bytes.subarray(0, end));
    }
    if (utf16) yield this.#fromUtf16(utf16);
    else yield this.#fromBytes(open);
  }

  #fromUtf16(decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): Buffer {
    try {
      const decoded = Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
      this.#countLines(decoded);
      return decoded;
    } catch {
      throw new GatesError(
        `From line ${this.#line} on, the file is not ${nameOf(this.encoding)}: ${SAY_WHICH}.`,
      );
    }
  }

  #fromBytes(bytes: Buffer): Buffer {
    const decoded = isAscii(bytes) ? bytes : this.#decodeBytes(bytes);
    this.#countLines(bytes);
    return decoded;
  }

  #decodeBytes(bytes: Buffer): Buffer {
    if (this.encoding === 'utf-8') {
      if (isUtf8(bytes)) {
        this.#multibyteLine ??= this.#lineAt(bytes, findMultibyte(bytes) ?? 0);
        return bytes;
      }
      if (this.#isGiven) {
        throw new GatesError(`Line ${this.#lineAt(bytes, firstInvalid(bytes))} is bad: it is not UTF-8.`);
      }
      this.encoding = 'windows-1252';
    }
    if (!this.#isGiven) this.#assertNoUtf8(bytes);
    const text = decodeWindows1252(bytes);
    if (text !== undefined) return Buffer.from(text);
    const line = this.#lineAt(bytes, bytes.toString('latin1').search(/[\u0081\u008D\u008F\u0090\u009D]/));
    throw new GatesError(
      `Line ${line} is bad: it holds a byte that is no character of ${nameOf(this.encoding)}. ${SAY_WHICH}.`,
    );
  }

  /** In a file that mixes both encodings, one of them would be decoded to wrong characters. */
  #assertNoUtf8(bytes: Buffer): void {
    const index = findMultibyte(bytes);
    this.#multibyteLine ??= index === undefined ? undefined : this.#lineAt(bytes, index);
    if (!isUtf8(bytes)) this.#otherLine ??= this.#lineAt(bytes, firstInvalid(bytes));
    if (this.#multibyteLine === undefined) return;
    throw new GatesError(
      `The file mixes encodings: line ${this.#multibyteLine} looks like UTF-8 and line ${this.#otherLine} is not. ${SAY_WHICH}.`,
    );
  }

  #lineAt(bytes: Buffer, index: number): number {
    return this.#line + countNewlines(bytes.subarray(0, index));
  }

  #countLines(bytes: Buffer): void {
    this.#line += countNewlines(bytes);
  }
}

const SAY_WHICH = `Save it as UTF-8, or say what it is with --encoding (${ENCODINGS.join(', ')})`;

export function nameOf(encoding: Encoding): string {
  return encoding === 'windows-1252' ? 'Windows-1252' : encoding.toUpperCase();
}

function detect(head: Buffer): Encoding {
  if (startsWith(head, UTF_8_MARK)) return 'utf-8';
  const [first, second, third, fourth] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // A header begins with two ASCII characters, and only UTF-16 has a NUL among their bytes.
  if (first && second === 0 && third && fourth === 0) return 'utf-16le';
  if (first === 0 && second && third === 0 && fourth) return 'utf-16be';
  return 'utf-8';
}

function markLength(head: Buffer, encoding: Encoding): number {
  if (encoding === 'utf-8') return startsWith(head, UTF_8_MARK) ? UTF_8_MARK.length : 0;
  const mark = encoding === 'utf-16le' ? [0xff, 0xfe] : [0xfe, 0xff];
  return encoding.startsWith('utf-16') && startsWith(head, Buffer.from(mark)) ? mark.length : 0;
}

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}

async function* withHead(head: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Returns the index at which the bytes stop being UTF-8. */
function firstInvalid(bytes: Buffer): number {
  let [valid, length] = [0, bytes.length];
  while (valid < length) {
    const middle = Math.ceil((valid + length) / 2);
    const head = bytes.subarray(0, middle);
    if (isUtf8(head.subarray(0, middle - openEnd(head)))) valid = middle;
    else length = middle - 1;
  }
  return valid;
}
