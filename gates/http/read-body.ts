import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { errorMessage } from '../errors.ts';
import { MAX_BODIES_BYTES, MAX_BODY_BYTES, MAX_COUNTED_ERRORS, MAX_MESSAGE_BYTES } from './limits.ts';
import { type BodyFormat, BrokenBody, splitMessages } from './message-splitter.ts';
import { MessageErrors, Refusal, unavailable } from './refusal.ts';
import { readTicketMessage, type TicketMessage } from './ticket-message.ts';

/** A message, and where in its body it stands. */
export interface NumberedMessage extends TicketMessage {
  /** From 1 on. */
  readonly position: number;
  readonly line: number;
}

/** What is held of bodies whose requests have not been answered. */
let heldBytes = 0;

/** The messages of a request, and what they are held as until `release` is called. */
export interface Body {
  readonly messages: readonly NumberedMessage[];
  release(): void;
}

/** Reads a body while it comes in. @throws Refusal that names every bad message. */
export function readBody(stream: Readable, headers: IncomingHttpHeaders, format: BodyFormat): Promise<Body> {
  const messages: NumberedMessage[] = [];
  const errors = new MessageErrors();
  const nowMs = Date.now();
  let position = 0;
  let bytes = 0;
  let isBroken = false;
  const release = (): void => {
    heldBytes -= bytes;
    bytes = 0;
  };
  const splitter = splitMessages(format, (text, line) => {
    if (errors.count === MAX_COUNTED_ERRORS) return;
    position += 1;
    try {
      if (!text) throw new Error(`it is longer than ${MAX_MESSAGE_BYTES} bytes`);
      const message = readTicketMessage(text, nowMs);
      // The body is refused: it need not be held.
      if (errors.count === 0) messages.push({ ...message, position, line });
    } catch (error) {
      errors.add({ message: position, line, detail: errorMessage(error) });
      messages.length = 0;
    }
  });
  const split = (work: () => void): void => {
    if (isBroken) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof BrokenBody)) throw error;
      isBroken = true;
      errors.add({ message: position + 1, line: error.line, detail: error.message });
    }
  };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      stream.removeAllListeners('data').pause();
      release();
      reject(error);
    };
    if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      fail(tooLarge());
      return;
    }
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      heldBytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) fail(tooLarge());
      else if (heldBytes > MAX_BODIES_BYTES) fail(unavailable('Too much is waiting to be written.'));
      else split(() => splitter.push(chunk));
      if (errors.count === MAX_COUNTED_ERRORS) fail(refusalOf(errors));
    });
    // Its client has gone, or was too slow: nobody reads the answer.
    stream.once('error', () => fail(new Refusal(400, 'The body breaks off.')));
    stream.once('end', () => {
      split(() => splitter.end());
      if (errors.count > 0) fail(refusalOf(errors));
      else resolve({ messages, release });
    });
  });
}

function refusalOf(errors: MessageErrors): Refusal {
  return errors.toRefusal('message is wrong', 'messages are wrong');
}

function tooLarge(): Refusal {
  return new Refusal(413, `A body is ${MAX_BODY_BYTES} bytes at most: send several.`);
}
