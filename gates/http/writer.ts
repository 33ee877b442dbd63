import { setTimeout as sleep } from 'node:timers/promises';
import { tryReadRunId } from '../cli/database-id.ts';
import { errorCode, errorMessage, UnknownCommitError } from '../cli/errors.ts';
import { type Session, withSession } from '../cli/session.ts';
import type { Target } from '../cli/target.ts';
import type { CommitQueue } from './commit-queue.ts';
import { LOCKED } from './held-requests.ts';
import { type QueuedRequest, sizeOf } from './queued-request.ts';
import { commitParts } from './commit-parts.ts';
import { type Refusal, unavailable } from './refusal.ts';
import { type TicketRequest, writeRequests, type Written } from './write-requests.ts';

/** A transaction that takes longer loses its connection. */
const TRANSACTION_LIMIT_MS = 10_000;
const LIMIT_PER_MESSAGE_MS = 1;

/** SQLSTATEs of deadlocks and serialization failures: PostgreSQL ended the transaction, which is retried. */
const RETRIED_STATES = new Set(['40P01', '40001']);
const RETRIES_FOR_MS = 7_000;
/** The pause is random, since two writers that retry at the same moment would deadlock again. */
const MAX_PAUSE_MS = 50;

const UNKNOWN = 'Whether this was written is not known: send it again, with the same "at".';
const NO_ANSWER = `The database did not answer in time, as while it waits for a synchronous standby (synchronous_standby_names). ${UNKNOWN}`;
const BROKEN = `The connection to the database broke during the commit. ${UNKNOWN}`;

export interface WriterOptions {
  readonly target: Target;
  readonly queue: CommitQueue;
  readonly takesLarge: boolean;
  /** Its abort ends the writer after the current commit. */
  readonly stop: AbortSignal;
  /** Its abort ends the writer at once: another host is the primary, or the process stops. */
  readonly retired: AbortSignal;
  /** Gets the ID of the database, where that may be asked for. */
  readonly onConnected: (databaseId: string | undefined) => void;
  readonly onLost: () => void;
}

/**
 * Commits what the queue has, on one connection. Resolves once it has stopped, or has lost its connection.
 *
 * @throws GatesError where it cannot connect.
 */
export async function runWriter({
  target,
  queue,
  takesLarge,
  stop,
  retired,
  onConnected,
  onLost,
}: WriterOptions): Promise<void> {
  const giveUp = new AbortController();
  retired.addEventListener('abort', () => giveUp.abort(), { once: true });
  await withSession(target, giveUp.signal, async (session) => {
    // An open transaction of a gate system must not block the writer for good.
    await session.sql`set lock_timeout = '5s'`;
    // A missing table, column or constraint fails here, not at the first turnstile.
    await session.sql`select ticket_times.valid_at from public.ticket_times, public.refused_readings limit 0`;
    await session.sql`
      insert into public.kept_readings select * from public.kept_readings limit 0
      on conflict (event_id, id, at, is_valid_ticket, entrou, setor) do nothing`;
    const databaseId = await tryReadRunId(session.sql);
    session.lost.addEventListener('abort', onLost, { once: true });
    onConnected(databaseId);
    const ended = AbortSignal.any([stop, session.lost, giveUp.signal]);
    for (
      let group = await queue.next(takesLarge, ended);
      group;
      group = await queue.next(takesLarge, ended)
    ) {
      await commitGroup(session, queue, group, giveUp);
      queue.done(group);
    }
  });
}

/**
 * Writes a group in one commit. If it fails with the connection intact, each request gets a commit of its own, so that the good
 * ones succeed.
 */
async function commitGroup(
  session: Session,
  queue: CommitQueue,
  group: readonly QueuedRequest[],
  giveUp: AbortController,
): Promise<void> {
  const write = (requests: readonly TicketRequest[]): Promise<Written[]> => commit(session, requests, giveUp);
  try {
    const written = await write(group.map(({ request }) => request));
    for (const [index, each] of written.entries()) {
      const queued = group[index];
      if (queued) queue.finish(queued, each);
    }
  } catch (error) {
    const isOver = session.lost.aborted || giveUp.signal.aborted || error instanceof UnknownCommitError;
    const [only] = group;
    if (isOver) {
      const refusal = giveUp.signal.aborted ? unavailable(NO_ANSWER) : refusalOf(error);
      if (giveUp.signal.reason === NO_ANSWER) queue.noteFailure(refusal);
      for (const { settle } of group) settle(refusal);
    } else if (only && group.length === 1) {
      const refuse = (cause: unknown): Refusal => {
        const refusal = refusalOf(cause);
        if (!isShutdown(cause) && !isRowLocked(cause)) queue.noteFailure(refusal);
        return refusal;
      };
      await commitParts(session, only.request, error, write).then(
        (written) => queue.finish(only, written),
        (cause: unknown) => only.settle(refuse(cause)),
      );
    } else {
      for (const queued of group) await commitGroup(session, queue, [queued], giveUp);
    }
  }
}

async function commit(
  session: Session,
  requests: readonly TicketRequest[],
  giveUp: AbortController,
): Promise<Written[]> {
  const eventId = requests[0]?.eventId ?? '';
  const size = requests.reduce((sum, request) => sum + sizeOf(request), 0);
  const limit = setTimeout(() => giveUp.abort(NO_ANSWER), TRANSACTION_LIMIT_MS + LIMIT_PER_MESSAGE_MS * size);
  try {
    const begunAtMs = performance.now();
    for (;;) {
      try {
        return await session.transaction('Nothing was changed.', (sql) =>
          writeRequests(sql, eventId, requests),
        );
      } catch (error) {
        const mayRetry = error instanceof Error && RETRIED_STATES.has(errorCode(error.cause) ?? '');
        if (!mayRetry || performance.now() - begunAtMs > RETRIES_FOR_MS) throw error;
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
    }
  } finally {
    clearTimeout(limit);
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof UnknownCommitError) return unavailable(BROKEN);
  if (!(error instanceof Error)) return unavailable(errorMessage(error));
  return unavailable(isLocked(error) ? `${LOCKED} Nothing was changed.` : error.message);
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === '55P03';
}

/** PostgreSQL names the row that a statement waited for, and says nothing of a table. */
function isRowLocked(error: unknown): boolean {
  return isLocked(error) && ((error as Error).cause as { where?: string }).where !== undefined;
}

/** It says nothing of the connection that comes next. */
function isShutdown(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause)?.startsWith('57P') === true;
}
