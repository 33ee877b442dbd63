import type { CommandRefusal, DeskCommand } from '../../desk/model/log/desk-command.ts';
import type { RecordState } from '../../desk/record/record.ts';
import { UPGRADE_ORDER } from '../relay/wire.ts';

/**
 * What an edge asks a counter about the flow of an event, and what it answers: JSON, each whole. Every answer is small
 * enough for one message: who needs more asks again.
 */
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
    };

/** What a counter says of itself. */
export interface DeskCounter {
  readonly record: RecordState['kind'];
  readonly isLive: boolean;
  readonly lastSeq: number;
}

export type DeskAnswer =
  | { readonly said: unknown }
  /** The command makes no sense as things stand. */
  | { readonly refused: CommandRefusal; readonly message: string }
  /** The record cannot be written; or the answer cannot be given. */
  | { readonly unavailable: string };

/** Of questions and answers. Another one is another language: nobody guesses what it means. */
const DESK_WIRE = 1;

/** Nobody asks for more minutes at once: an hour of 61 sectors fits into one message. */
export const MAX_MINUTES_ASKED_MS = 30 * 60_000;

/** A command has 500 characters, however they are escaped. */
export const MAX_QUESTION_BYTES = 16_384;

/** Below what a NATS server carries by default, 1 MB. */
export const MAX_ANSWER_BYTES = 900_000;

/** Rows are told until they are so large together. */
export const MAX_ROWS_BYTES = 400_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeDesk(message: DeskQuestion | DeskAnswer): Uint8Array {
  return encoder.encode(JSON.stringify({ wire: DESK_WIRE, ...message }));
}

/** What was sent is of no wire, or of another one. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** The object, as it was parsed. Throws a SyntaxError or a WireError where it is none of this wire. */
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
