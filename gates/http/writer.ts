import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, errorMessage } from '../errors.ts';
import { type Session, withSession } from '../session.ts';
import type { Target } from '../target.ts';
import type { Summary } from './apply-messages.ts';
import type { CommitQueue, Waiting } from './commit-queue.ts';
import { Refusal, unavailable } from './refusal.ts';
import { type TicketRequest, writeRequests } from './write-requests.ts';

/** How long a transaction may take before its connection is given up. */
const TRANSACTION_LIMIT_MS = 10_000;
const LIMIT_PER_MESSAGE_MS = 1;

/** Two writers that lock each other out, or a gate system and a writer: PostgreSQL ends one of them, which begins anew. */
const MUST_BEGIN_ANEW = new Set(['40P01', '40001']);
const BEGINS_ANEW_FOR_MS = 7_000;
/** At random, up to so long: two that begin anew at the same moment would meet again. */
const MAX_PAUSE_MS = 50;

const NO_ANSWER =
  'The database did not answer in time. Whether this was committed is not known: send it again.';

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
    await session.sql`select from public.ticket_times limit 0`;
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

/** In one commit; where that fails for something else than the connection, in one each: the good ones are not harmed. */
async function commitGroup(
  session: Session,
  group: readonly Waiting[],
  giveUp: AbortController,
): Promise<void> {
  try {
    const results = await commit(session, group, giveUp);
    for (const [index, { settle }] of group.entries()) settle(results[index] ?? lostResult());
  } catch (error) {
    if (group.length === 1 || session.lost.aborted || giveUp.signal.aborted) {
      const refusal = giveUp.signal.aborted ? unavailable(NO_ANSWER) : refusalOf(error);
      for (const { settle } of group) settle(refusal);
      return;
    }
    for (const waiting of group) await commitGroup(session, [waiting], giveUp);
  }
}

async function commit(
  session: Session,
  group: readonly Waiting[],
  giveUp: AbortController,
): Promise<(Summary | Refusal)[]> {
  const requests = group.map(({ request }) => request);
  const eventId = requests[0]?.eventId ?? '';
  const limit = setTimeout(
    () => giveUp.abort(),
    TRANSACTION_LIMIT_MS + LIMIT_PER_MESSAGE_MS * countMessages(requests),
  );
  try {
    const begunAtMs = performance.now();
    for (;;) {
      try {
        return await session.transaction('Nothing was changed.', (sql) =>
          writeRequests(sql, eventId, requests),
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

function countMessages(requests: readonly TicketRequest[]): number {
  return requests.reduce((sum, { messages }) => sum + messages.length, 0);
}

/** What the database refuses for what it is asked, as by a constraint or a trigger, stays so; all else may pass. */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Error)) return unavailable(errorMessage(error));
  if (error.cause instanceof Refusal) return error.cause;
  const code = errorCode(error.cause) ?? '';
  if (code === '55P03') {
    return unavailable(
      'Another program holds one of these tickets in an open transaction. Nothing was changed.',
    );
  }
  return /^(22|23|P0)/.test(code) ? new Refusal(409, error.message) : unavailable(error.message);
}

function lostResult(): Error {
  return new Error('a request of the group has no result');
}
