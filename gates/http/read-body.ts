import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { errorMessage } from '../cli/errors.ts';
import { MAX_BODIES_BYTES, MAX_BODY_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGES } from './limits.ts';
import { type BodyFormat, BrokenBody, splitMessages } from './message-splitter.ts';
import { Refusal, unavailable } from './refusal.ts';
import { RequestOutcome } from './request-outcome.ts';
import { BadTime } from './sent-at.ts';
import { readTicketMessage, type TicketMessage } from './ticket-message.ts';

/** A message with its place in the body; both numbers count from 1. */
export interface NumberedMessage extends TicketMessage {
  readonly position: number;
  readonly line: number;
}

/** Counts the bytes of all bodies whose requests have not been answered. */
let heldBytes = 0;

/** The valid messages of a request; `outcome` has the others. Its bytes count as held until `release`. */
export interface Body {
  readonly messages: readonly NumberedMessage[];
  readonly outcome: RequestOutcome;
  release(): void;
}

/** Parses a body while it arrives. @throws Refusal of one that is too large, or breaks off. */
export function readBody(stream: Readable, headers: IncomingHttpHeaders, format: BodyFormat): Promise<Body> {
  const messages: NumberedMessage[] = [];
  const outcome = new RequestOutcome();
  let position = 0;
  let bytes = 0;
  let isBroken = false;
  const release = (): void => {
    heldBytes -= bytes;
    bytes = 0;
  };
  const splitter = splitMessages(format, (text, line) => {
    position += 1;
    if (position > MAX_MESSAGES) return;
    try {
      if (!text) throw new Error(`it is longer than ${MAX_MESSAGE_BYTES} bytes`);
      messages.push({ ...readTicketMessage(text, Date.now()), position, line });
    } catch (error) {
      const reason = error instanceof BadTime ? 'time' : 'message';
      outcome.refuse(reason, { message: position, line, detail: errorMessage(error) });
    }
  });
  const split = (work: () => void): void => {
    if (isBroken) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof BrokenBody)) throw error;
      isBroken = true;
      outcome.refuse('message', { message: position + 1, line: error.line, detail: error.message });
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
      if (position > MAX_MESSAGES) fail(tooMany());
    });
    // The client has gone, or was too slow: nobody reads the answer.
    stream.once('error', () => fail(new Refusal(400, 'The body breaks off.')));
    stream.once('end', () => {
      split(() => splitter.end());
      if (position > MAX_MESSAGES) fail(tooMany());
      else resolve({ messages, outcome, release });
    });
  });
}

function tooLarge(): Refusal {
  return new Refusal(413, `A body is ${MAX_BODY_BYTES} bytes at most: send several.`);
}

function tooMany(): Refusal {
  return new Refusal(413, `A body has ${MAX_MESSAGES} messages at most: send several.`);
}
