import { MAX_MESSAGE_BYTES } from './limits.ts';

/** `json` is one object or an array of them; `ndjson` is an object in each line. */
export type BodyFormat = 'json' | 'ndjson';

/** `bytes` is undefined for a message that is too long. `line` is where it begins in the body, counted from 1. */
export type TakeMessage = (bytes: Buffer | undefined, line: number) => void;

/** The rest of the body cannot be split. */
export class BrokenBody extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Splits a body into its messages while it arrives, and buffers at most one of them. */
export interface MessageSplitter {
  /** @throws BrokenBody */
  push(chunk: Buffer): void;
  /** @throws BrokenBody */
  end(): void;
}

export function splitMessages(format: BodyFormat, take: TakeMessage): MessageSplitter {
  return new AfterMark(format === 'ndjson' ? new LineSplitter(take) : new ArraySplitter(take));
}

/** The byte order mark of UTF-8, as some programs begin a file with it. */
const MARK = Buffer.from('\uFEFF');

/** Leaves out a byte order mark at the beginning of the body. */
class AfterMark implements MessageSplitter {
  readonly #messages: MessageSplitter;
  /** How many bytes of the mark have come; undefined once it is clear whether there is one. */
  #begun: number | undefined = 0;

  constructor(messages: MessageSplitter) {
    this.#messages = messages;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (this.#begun !== undefined && start < chunk.length) {
      if (chunk[start] !== MARK[this.#begun]) this.#pass(this.#begun);
      else {
        start += 1;
        if (this.#begun + 1 === MARK.length) this.#begun = undefined;
        else this.#begun += 1;
      }
    }
    this.#messages.push(chunk.subarray(start));
  }

  end(): void {
    this.#pass(this.#begun ?? 0);
    this.#messages.end();
  }

  /** What has come is no mark. */
  #pass(bytes: number): void {
    this.#begun = undefined;
    this.#messages.push(MARK.subarray(0, bytes));
  }
}

const [TAB, LF, CR, SPACE] = [9, 10, 13, 32];
const [QUOTE, COMMA, OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  34, 44, 91, 92, 93, 123, 125,
];

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === LF || byte === CR || byte === TAB;
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (!isSpace(byte)) return false;
  return true;
}

/** Collects the chunks of one message. */
class MessageBytes {
  #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length <= MAX_MESSAGE_BYTES) this.#chunks.push(chunk);
  }

  /** Returns undefined for a message that is too long. */
  take(): Buffer | undefined {
    const [first = Buffer.alloc(0)] = this.#chunks;
    const whole = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    const isTooLong = this.#length > MAX_MESSAGE_BYTES;
    this.#chunks = [];
    this.#length = 0;
    return isTooLong ? undefined : whole;
  }
}

class LineSplitter implements MessageSplitter {
  readonly #take: TakeMessage;
  readonly #bytes = new MessageBytes();
  #line = 1;

  constructor(take: TakeMessage) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#bytes.add(chunk.subarray(start, end));
      this.end();
      this.#line += 1;
      start = end + 1;
    }
    this.#bytes.add(chunk.subarray(start));
  }

  end(): void {
    const bytes = this.#bytes.take();
    if (bytes === undefined || !isBlank(bytes)) this.#take(bytes, this.#line);
  }
}

/**
 *   start ── [ ──▶ array ── ] ──▶ after      only space may follow
 *     └── anything else ──▶ single           one message, to the end of the body
 */
class ArraySplitter implements MessageSplitter {
  readonly #take: TakeMessage;
  readonly #bytes = new MessageBytes();
  #state: 'start' | 'single' | 'array' | 'after' = 'start';
  #line = 1;
  /** The line in which the current message begins; 0 before its first byte. */
  #beganAtLine = 0;
  #isFirst = true;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(take: TakeMessage) {
    this.#take = take;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] ?? 0;
      if (byte === LF) this.#line += 1;
      if (this.#state === 'array') {
        if (!this.#endsMessage(byte)) continue;
        this.#bytes.add(chunk.subarray(start, index));
        start = index + 1;
        this.#finish(byte);
      } else if (this.#state !== 'single' && !isSpace(byte)) {
        if (this.#state === 'after') throw new BrokenBody('something follows the array', this.#line);
        this.#state = byte === OPEN_ARRAY ? 'array' : 'single';
        start = byte === OPEN_ARRAY ? index + 1 : index;
        if (byte !== OPEN_ARRAY) this.#beganAtLine = this.#line;
      }
    }
    if (this.#state === 'single' || this.#state === 'array') this.#bytes.add(chunk.subarray(start));
  }

  end(): void {
    if (this.#state === 'start') throw new BrokenBody('the body is empty', this.#line);
    if (this.#state === 'array') {
      // What is between brackets and commas is whole; only what follows it is missing.
      const isWhole = this.#beganAtLine > 0 && this.#depth === 0 && !this.#isInText;
      if (isWhole) this.#take(this.#bytes.take(), this.#beganAtLine);
      throw new BrokenBody('the array is not closed', this.#line);
    }
    if (this.#state === 'single') this.#take(this.#bytes.take(), this.#beganAtLine);
  }

  /** Whether this byte of an array ends a message. */
  #endsMessage(byte: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
      return false;
    }
    if (this.#beganAtLine === 0 && !isSpace(byte)) this.#beganAtLine = this.#line;
    switch (byte) {
      case QUOTE:
        this.#isInText = true;
        return false;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#depth += 1;
        return false;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (this.#depth === 0 && byte === CLOSE_ARRAY) return true;
        this.#depth -= 1;
        if (this.#depth < 0) throw new BrokenBody('a brace is closed that was not opened', this.#line);
        return false;
      case COMMA:
        return this.#depth === 0;
      default:
        return false;
    }
  }

  #finish(byte: number): void {
    const bytes = this.#bytes.take();
    const isEmptyArray = byte === CLOSE_ARRAY && this.#isFirst && bytes !== undefined && isBlank(bytes);
    if (!isEmptyArray) this.#take(bytes, this.#beganAtLine);
    this.#isFirst = false;
    this.#beganAtLine = 0;
    if (byte === CLOSE_ARRAY) this.#state = 'after';
  }
}
