import { FieldError, readFields } from '../../desk/model/log/fields.ts';
import type { LogRow } from '../../desk/model/log/flow-log.ts';
import { readCommand, readText, readUntil } from '../../desk/model/log/read-command.ts';
import { CommandRefused, type Desk } from '../../desk/flow/desk.ts';
import { RecordUnavailableError } from '../../desk/record/record.ts';
import {
  decodeDesk,
  type DeskAnswer,
  type DeskCounter,
  encodeAnswer,
  MAX_MINUTES_ASKED_MS,
  MAX_QUESTION_BYTES,
  MAX_ROWS_BYTES,
  WireError,
} from './desk-wire.ts';

const MAX_NAME_LENGTH = 60;

/**
 * Answers an edge's question about the flow of an event. The question is checked as if a browser had sent it. `verifiedAtMs`
 * returns when the counts were last verified, by `performance.now()`.
 */
export async function answerDesk(
  desk: Desk,
  question: Uint8Array,
  verifiedAtMs: () => number,
): Promise<Uint8Array> {
  return encodeAnswer(await answerOf(desk, question, verifiedAtMs));
}

async function answerOf(desk: Desk, question: Uint8Array, verifiedAtMs: () => number): Promise<DeskAnswer> {
  try {
    if (question.length > MAX_QUESTION_BYTES) return { unavailable: 'the question is too long' };
    const asked = decodeDesk(question);
    const ofState = asked['ask'] === 'state' ? { verifiedAtMs: verifiedAtMs() } : undefined;
    return { said: await answerTo(desk, asked), ...ofState };
  } catch (error) {
    if (error instanceof CommandRefused) return { refused: error.reason, message: error.message };
    if (error instanceof RecordUnavailableError) return { unavailable: error.message };
    if (error instanceof FieldError || error instanceof SyntaxError || error instanceof WireError) {
      return { unavailable: `the question cannot be read: ${error.message}` };
    }
    throw error;
  }
}

async function answerTo(desk: Desk, asked: Readonly<Record<string, unknown>>): Promise<unknown> {
  switch (asked['ask']) {
    case 'who':
      return whoIs(desk);
    case 'state':
      return desk.state();
    case 'state-at':
      return (await desk.stateAt(readNumber('endMs', asked['endMs']))) ?? null;
    case 'minutes': {
      const fromMs = readNumber('fromMs', asked['fromMs']);
      return desk.minutes(fromMs, Math.min(readNumber('toMs', asked['toMs']), fromMs + MAX_MINUTES_ASKED_MS));
    }
    case 'usual':
      return desk.usualCurve(asked['sector'] === null ? undefined : readSector(desk, asked['sector']));
    case 'log':
      return fitting(
        await desk.log(readNumber('after', asked['after']), readNumber('limit', asked['limit'])),
      );
    case 'command': {
      const { nowMs } = await desk.state();
      const body = { ...readFields(asked['command']), seenSeq: asked['seenSeq'] };
      const command = readCommand(body, { sectors: desk.sectors, nowMs });
      return desk.command(command, readText('by', asked['by'], MAX_NAME_LENGTH), readUntil(asked));
    }
    default:
      throw new FieldError('ask', 'is none that is known here');
  }
}

async function whoIs(desk: Desk): Promise<DeskCounter> {
  const { record, source, lastSeq } = await desk.state();
  return { record: record.state.kind, isLive: source.live, lastSeq };
}

/** Returns as many of the first rows as fit into one message. */
function fitting(rows: readonly LogRow[]): readonly LogRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += JSON.stringify(row).length;
    return bytes > MAX_ROWS_BYTES;
  });
  // One at least, so that the edge can continue behind it.
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}

function readNumber(field: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new FieldError(field, 'give a whole number');
}

function readSector({ sectors }: Desk, value: unknown): number {
  const sector = readNumber('sector', value);
  if (sector < sectors.length) return sector;
  throw new FieldError('sector', 'give the index of a sector');
}
