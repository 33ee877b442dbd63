import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, errorMessage, UnknownCommitError } from '../cli/errors.ts';
import { type Session, withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';
import { type CommitQueue, sizeOf, type Waiting } from './commit-queue.ts';
import { commitParts } from './commit-parts.ts';
import { type Refusal, unavailable } from './refusal.ts';
import type { RequestOutcome } from './request-outcome.ts';
import { type TicketRequest, writeRequests } from './write-requests.ts';

/** How long a transaction may take before its connection is given up. */
const TRANSACTION_LIMIT_MS = 10_000;
const LIMIT_PER_MESSAGE_MS = 1;

/** Two writers that lock each other out, or a gate system and a writer: PostgreSQL ends one of them, which begins anew. */
const MUST_BEGIN_ANEW = new Set(['40P01', '40001']);
const BEGINS_ANEW_FOR_MS = 7_000;
/** At random, up to so long: two that begin anew at the same moment would meet again. */
const MAX_PAUSE_MS = 50;

const UNKNOWN = 'Whether this was written is not known: send it again, with the same "at".';
const NO_ANSWER = `The database did not answer in time. ${UNKNOWN}`;
const HELD = 'Another program holds one of these tickets in an open transaction.';
const BROKEN = `The connection to the database broke during the commit. ${UNKNOWN}`;

/** One connection that commits what the queue has. */
export interface WriterOptions {
  readonly target: Target;
  readonly queue: CommitQueue;
  readonly takesLarge: boolean;
  /** Ends it, after the commit that it is at. */
  readonly stop: AbortSignal;
  /** Ends it at once: the database leads no more. */
  readonly retired: AbortSignal;
  /** It is connected. */
  readonly onReady: () => void;
  /** Its connection is closed. */
  readonly onLost: () => void;
}

/** Resolves once it has stopped, or has lost its connection. @throws GatesError where it gets none. */
export async function runWriter({
  target,
  queue,
  takesLarge,
  stop,
  retired,
  onReady,
  onLost,
}: WriterOptions): Promise<void> {
  const giveUp = new AbortController();
  retired.addEventListener('abort', () => giveUp.abort(), { once: true });
  await withSession(target, giveUp.signal, async (session) => {
    // A gate system's transaction that stays open must not hold up all that comes after it.
    await session.sql`set lock_timeout = '5s'`;
    // What is not there yet is told now, and not to the first turnstile.
    await session.sql`select ticket_times.valid_at from public.ticket_times, public.kept_readings, public.refused_readings limit 0`;
    session.lost.addEventListener('abort', onLost, { once: true });
    onReady();
    const ended = AbortSignal.any([stop, session.lost, giveUp.signal]);
    for (
      let group = await queue.next(takesLarge, ended);
      group;
      group = await queue.next(takesLarge, ended)
    ) {
      await commitGroup(session, group, giveUp);
    }
  });
}

/**
 * In one commit. Where another program holds tickets for too long, without those; where it fails for something else than
 * the connection, in one commit each: the good ones are not harmed.
 */
async function commitGroup(
  session: Session,
  group: readonly Waiting[],
  giveUp: AbortController,
  skipsHeld = false,
): Promise<void> {
  const write = (requests: readonly TicketRequest[]): Promise<RequestOutcome[]> =>
    commit(session, requests, giveUp, skipsHeld);
  try {
    const outcomes = await write(group.map(({ request }) => request));
    for (const [index, { settle }] of group.entries()) settle(resultOf(outcomes[index]));
  } catch (error) {
    const isOver = session.lost.aborted || giveUp.signal.aborted || error instanceof UnknownCommitError;
    const [only] = group;
    if (isOver) {
      const refusal = giveUp.signal.aborted ? unavailable(NO_ANSWER) : refusalOf(error);
      for (const { settle } of group) settle(refusal);
    } else if (!skipsHeld && isHeld(error)) {
      await commitGroup(session, group, giveUp, true);
    } else if (only && group.length === 1) {
      only.settle(await commitParts(session, only.request, error, write).then(resultOf, refusalOf));
    } else {
      for (const waiting of group) await commitGroup(session, [waiting], giveUp, skipsHeld);
    }
  }
}

async function commit(
  session: Session,
  requests: readonly TicketRequest[],
  giveUp: AbortController,
  skipsHeld: boolean,
): Promise<RequestOutcome[]> {
  const eventId = requests[0]?.eventId ?? '';
  const size = requests.reduce((sum, request) => sum + sizeOf(request), 0);
  const limit = setTimeout(() => giveUp.abort(), TRANSACTION_LIMIT_MS + LIMIT_PER_MESSAGE_MS * size);
  try {
    const begunAtMs = performance.now();
    for (;;) {
      try {
        return await session.transaction('Nothing was changed.', (sql) =>
          writeRequests(sql, eventId, requests, skipsHeld),
        );
      } catch (error) {
        const mustBeginAnew = error instanceof Error && MUST_BEGIN_ANEW.has(errorCode(error.cause) ?? '');
        if (!mustBeginAnew || performance.now() - begunAtMs > BEGINS_ANEW_FOR_MS) throw error;
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  } finally {
    clearTimeout(limit);
  }
}

/** It may pass. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof UnknownCommitError) return unavailable(BROKEN);
  if (!(error instanceof Error)) return unavailable(errorMessage(error));
  return unavailable(isHeld(error) ? `${HELD} Nothing was changed.` : error.message);
}

function isHeld(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === '55P03';
}

/** What is held is to be sent again, and with it the rest, which is right once more. */
function resultOf(outcome: RequestOutcome | undefined): RequestOutcome | Error {
  if (!outcome) return new Error('a request of the group has no outcome');
  if (outcome.held === 0) return outcome;
  const rest =
    outcome.messages === 0 ? 'Nothing was changed.' : 'The others are written: send all of them again.';
  return unavailable(`${HELD} ${rest}`);
}
