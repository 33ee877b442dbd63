import { errorCode, TryAgainError } from '../cli/errors.ts';
import type { Session } from '../cli/session.ts';
import { takeKept } from './kept-rows.ts';
import { RequestOutcome } from './request-outcome.ts';
import type { TicketRequest } from './write-requests.ts';

type Write = (requests: readonly TicketRequest[]) => Promise<RequestOutcome[]>;

/**
 * After a request could not be written: where that is for what the database says against it, as by a constraint or a
 * trigger, half of it is written after the other, down to the one message that is refused. So it harms no other of its
 * body.
 *
 * @throws what `error` is where it is anything else: it may pass.
 */
export async function commitParts(
  session: Session,
  request: TicketRequest,
  error: unknown,
  write: Write,
): Promise<RequestOutcome> {
  if (!(error instanceof Error) || !isAboutData(error)) throw error;
  const halves = halve(request);
  if (halves.length === 0) return refuse(session, request, error.message);
  const outcome = new RequestOutcome();
  for (const half of halves) {
    const parts = await write([half]).catch(async (cause: unknown) => [
      await commitParts(session, half, cause, write).catch((failure: unknown) => {
        throw outcome.messages === 0 ? failure : partlyWritten(failure);
      }),
    ]);
    for (const part of parts) outcome.add(part);
  }
  return outcome;
}

/** What is said against rows stays so. */
function isAboutData(error: Error): boolean {
  return /^(22|23|P0)/.test(errorCode(error.cause) ?? '');
}

/** None: it is about one ticket. */
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
  for (const { position, line, id } of messages) {
    outcome.refuse('database', { message: position, line, id, detail });
  }
  if (released.length > 0) {
    const kept = await session.transaction('', (sql) => takeKept(sql, eventId, released));
    for (const { id } of kept) outcome.refuse('database', { message: 0, line: 0, id, detail });
  }
  return outcome;
}

function partlyWritten(error: unknown): Error {
  return new TryAgainError('The database went away. Some of this is written: send all of it again.', error);
}
