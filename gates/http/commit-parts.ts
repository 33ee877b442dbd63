import { errorCode, TryAgainError } from '../cli/errors.ts';
import type { Session } from '../cli/session.ts';
import { noteRefusedKept } from './kept-rows.ts';
import type { NumberedMessage } from './read-body.ts';
import { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest, Written } from './write-requests.ts';

type Write = (requests: readonly TicketRequest[]) => Promise<Written[]>;

/**
 * Writes a request in halves, down to single messages, after the database refused it by a constraint or a trigger: only
 * the messages that it refuses by themselves fail.
 *
 * @throws `error` itself where the cause is anything else, since that may pass.
 */
export async function commitParts(
  session: Session,
  request: TicketRequest,
  error: unknown,
  write: Write,
): Promise<Written> {
  if (!(error instanceof Error) || !isAboutData(error)) throw error;
  const halves = halve(request);
  if (halves.length === 0) return { outcome: await refuse(session, request, error.message), locked: [] };
  const outcome = new RequestOutcome();
  const locked: NumberedMessage[] = [];
  for (const half of halves) {
    const parts = await write([half]).catch(async (cause: unknown) => [
      await commitParts(session, half, cause, write).catch((failure: unknown) => {
        throw outcome.messages === 0 ? failure : partlyWritten(failure);
      }),
    ]);
    for (const part of parts) {
      outcome.add(part.outcome);
      locked.push(...part.locked);
    }
  }
  return { outcome, locked };
}

/** Errors about data recur when the same rows are sent again. */
function isAboutData(error: Error): boolean {
  return /^(22|23|P0)/.test(errorCode(error.cause) ?? '');
}

/** Returns an empty array for a request about a single ticket. */
function halve(request: TicketRequest): TicketRequest[] {
  const { messages, released } = request;
  if (messages.length + released.length < 2) return [];
  const ofMessages = messages.length / 2;
  const ofReleased = released.length / 2;
  return [
    { ...request, messages: messages.slice(0, ofMessages), released: released.slice(0, ofReleased) },
    { ...request, messages: messages.slice(ofMessages), released: released.slice(ofReleased) },
  ];
}

async function refuse(session: Session, request: TicketRequest, detail: string): Promise<RequestOutcome> {
  const { eventId, messages, released } = request;
  const outcome = new RequestOutcome();
  for (const { position, line, id, gate } of messages) {
    outcome.refuse('database', { message: position, line, id, detail }, () => gate);
  }
  if (released.length > 0) {
    const kept = await session.transaction('', (sql) => noteRefusedKept(sql, eventId, released));
    for (const id of kept) {
      const known = `the reading that is kept of ${JSON.stringify(id)} waits on: ${detail}`;
      outcome.refuse('database', { message: 0, line: 0, id, detail: known });
    }
  }
  return outcome;
}

function partlyWritten(error: unknown): Error {
  return new TryAgainError('The database went away. Some of this is written: send all of it again.', error);
}
