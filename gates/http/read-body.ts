import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { errorMessage } from '../cli/errors.ts';
import { MAX_BODY_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGES } from './limits.ts';
import { type BodyFormat, BrokenBody, splitMessages } from './message-splitter.ts';
import { receiveBytes } from './receive-bytes.ts';
import { Refusal } from './refusal.ts';
import { RequestOutcome } from './request-outcome.ts';
import { BadTime } from './sent-at.ts';
import { readGate, readTicketMessage, type TicketMessage } from './ticket-message.ts';

/** A message with its place in the body; both numbers count from 1. */
export interface NumberedMessage extends TicketMessage {
  readonly position: number;
  readonly line: number;
}

/** The valid messages of a request; `outcome` has the others. Its bytes count as held until `release`. */
export interface Body {
  readonly messages: readonly NumberedMessage[];
  readonly outcome: RequestOutcome;
  release(): void;
}

/** Parses a body while it arrives. @throws Refusal of one that is too large, or breaks off. */
export async function readBody(
  stream: Readable,
  headers: IncomingHttpHeaders,
  format: BodyFormat,
): Promise<Body> {
  const messages: NumberedMessage[] = [];
  const outcome = new RequestOutcome();
  let position = 0;
  let isBroken = false;
  const splitter = splitMessages(format, (text, line) => {
    position += 1;
    if (position > MAX_MESSAGES) return;
    try {
      if (!text) throw new Error(`it is longer than ${MAX_MESSAGE_BYTES} bytes`);
      messages.push({ ...readTicketMessage(text, Date.now()), position, line });
    } catch (error) {
      const reason = error instanceof BadTime ? 'time' : 'message';
      const note = { message: position, line, detail: errorMessage(error) };
      outcome.refuse(reason, note, () => text && readGate(text));
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
  const assertNotTooMany = (): void => {
    if (position > MAX_MESSAGES)
      throw new Refusal(413, `A body has ${MAX_MESSAGES} messages at most: send several.`);
  };
  const release = await receiveBytes(stream, headers, MAX_BODY_BYTES, (chunk) => {
    split(() => splitter.push(chunk));
    assertNotTooMany();
  });
  try {
    split(() => splitter.end());
    assertNotTooMany();
  } catch (error) {
    release();
    throw error;
  }
  return { messages, outcome, release };
}

/** Reads what has been made of a webhook, with the checks of a body of these messages. */
export function readMapped(messages: readonly object[]): Promise<Body> {
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
  return readBody(Readable.from([Buffer.from(lines.join(''))]), {}, 'ndjson');
}
