import { promisify } from 'node:util';
import { deflate, inflateSync } from 'node:zlib';
import type { CommandRefusal, DeskCommand } from '../../desk/model/log/desk-command.ts';
import type { RecordState } from '../../desk/record/record.ts';
import { UPGRADE_ORDER } from '../relay/wire.ts';

/** The questions of an edge to a counter about the flow of an event. Questions and answers are one message of JSON each. */
export type DeskQuestion =
  | { readonly ask: 'who' | 'state' }
  | { readonly ask: 'state-at'; readonly endMs: number }
  | { readonly ask: 'minutes'; readonly fromMs: number; readonly toMs: number }
  | { readonly ask: 'usual'; readonly sector: number | null }
  | { readonly ask: 'log'; readonly after: number; readonly limit: number }
  | {
      readonly ask: 'command';
      readonly command: DeskCommand;
      readonly by: string;
      readonly untilMs: number | undefined;
      /** The command's, beside it: a counter of a former version refuses a command with a field that it does not know. */
      readonly seenSeq?: number | undefined;
    };

/** The answer to `who`. */
export interface DeskCounter {
  readonly record: RecordState['kind'];
  readonly isLive: boolean;
  readonly lastSeq: number;
}

export type DeskAnswer =
  /** `verifiedAtMs`, with a state: when its counts were last verified, by the counter's `performance.now()`; older versions omit it. */
  | { readonly said: unknown; readonly verifiedAtMs?: number | undefined }
  /** The command does not apply in the present state. */
  | { readonly refused: CommandRefusal; readonly message: string }
  /** The record cannot be written, or the question cannot be answered. */
  | { readonly unavailable: string };

/** The version of questions and answers. Another one is refused. */
const DESK_WIRE = 1;

/** An edge asks for no more minutes at once: an hour of 61 sectors fits into one message. */
export const MAX_MINUTES_ASKED_MS = 30 * 60_000;

/** Enough for a command of 500 characters, however they are escaped. */
export const MAX_QUESTION_BYTES = 16_384;

/** The limit of the JSON. A NATS server carries 1 MB by default. */
export const MAX_ANSWER_BYTES = 900_000;

/** The rows of one answer are no larger together. */
export const MAX_ROWS_BYTES = 400_000;

/** What fits into a packet is not compressed. */
const PACKET_BYTES = 1_200;
/** The first byte of what is not compressed. */
const OPENING_BRACE = 0x7b;

const compress = promisify(deflate);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeDesk(message: DeskQuestion | DeskAnswer): Uint8Array {
  return encoder.encode(JSON.stringify({ wire: DESK_WIRE, ...message }));
}

/** A desk's state of 11 KB takes eight packets, compressed two: over a lossy link each of them may be late. */
export async function encodeAnswer(answer: DeskAnswer): Promise<Uint8Array> {
  const bytes = encodeDesk(answer);
  if (bytes.length > MAX_ANSWER_BYTES)
    return encodeDesk({ unavailable: `the answer has ${bytes.length} bytes` });
  return bytes.length > PACKET_BYTES ? compress(bytes) : bytes;
}

/** @throws SyntaxError | WireError: the message is neither JSON nor compressed JSON, or not of this version */
export function decodeAnswer(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes[0] === OPENING_BRACE) return decodeDesk(bytes);
  let json: Uint8Array;
  try {
    json = inflateSync(bytes, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (error) {
    throw new WireError(`it is neither JSON nor compressed: ${(error as Error).message}`);
  }
  return decodeDesk(json);
}

/** A message has no wire version, or another one. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** @throws SyntaxError | WireError: the message is no JSON, or not of this version */
export function decodeDesk(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(decoder.decode(bytes));
  if (typeof value !== 'object' || value === null) throw new WireError('it is no object');
  const { wire } = value as { wire?: unknown };
  if (wire === DESK_WIRE) return value as Record<string, unknown>;
  if (typeof wire !== 'number') throw new WireError('it has no wire version');
  throw new WireError(
    `it has desk wire version ${wire}, and this process reads ${DESK_WIRE}: ${UPGRADE_ORDER}`,
  );
}
