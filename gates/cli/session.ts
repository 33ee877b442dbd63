import postgres from 'postgres';
import { waitForFlush } from './durable-commit.ts';
import { explainDatabaseError } from './database-errors.ts';
import { GatesError, INTERRUPTED, stopped, TryAgainError, UnknownCommitError } from './errors.ts';
import { connect, type Target } from './target.ts';

/** Limits how long the database may take to cancel a statement. */
const STOP_LIMIT_MS = 5_000;
const UNKNOWN = 'Whether the commit was made is not known: look before you do this again.';

/** One database session, which is never silently replaced by another. Ctrl-C cancels its statement and ends it. */
export interface Session {
  readonly sql: postgres.Sql;
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal;
  /**
   * Runs `write` in a transaction, and resolves after its commit. On failure nothing is written, and the message ends with
   * `undone`; where the outcome of the commit is unknown, it rejects with an UnknownCommitError.
   */
  transaction<T>(undone: string, write: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  /** Runs statements that are commits of their own; where the answer of one is lost, it rejects with an UnknownCommitError. */
  commits(write: (sql: postgres.Sql) => Promise<unknown>): Promise<void>;
}

/** @throws GatesError with cause and fix where the database fails, or where Ctrl-C ends the session; else what `work` throws. */
export async function withSession<T>(
  target: Target,
  stop: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const pool = connect(target, 1, () => lost.abort());
  const sql = new Proxy(pool, {
    apply(statement, self, values) {
      if (stop.aborted) throw stopped();
      // postgres.js would connect again, and go on outside of the transaction.
      if (lost.signal.aborted) throw connectionLost();
      return Reflect.apply(statement, self, values) as unknown;
    },
  });
  const explain = async (error: unknown): Promise<Error> =>
    stop.aborted && !(error instanceof GatesError) ? stopped() : explainDatabaseError(error, target);
  const unknownCommit = (explained: Error, error: unknown): UnknownCommitError => {
    const { message } = endingWith(UNKNOWN, stop.aborted ? stopped() : explained);
    return new UnknownCommitError(message, error, stop.aborted ? INTERRUPTED : undefined);
  };
  const ended = new AbortController();

  try {
    const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
    waitForFlush(pool);
    const onStop = (): void => {
      void cancelStatement(target, pid);
      setTimeout(() => void pool.end({ timeout: 0 }), STOP_LIMIT_MS).unref();
    };
    stop.addEventListener('abort', onStop, { once: true, signal: ended.signal });

    // Not sql.begin: if the connection breaks within it, postgres.js writes its rollback to no socket and crashes the
    // process.
    const transaction: Session['transaction'] = async (undone, write) => {
      let result;
      try {
        await unlessLost(lost.signal, () => sql`begin`);
        // `write` may have to undo something of its own, so it is awaited in any case.
        result = await write(sql);
        if (stop.aborted) throw stopped();
        if (lost.signal.aborted) throw connectionLost();
      } catch (error) {
        await unlessLost(lost.signal, () => pool`rollback`).catch(() => {});
        throw endingWith(undone, await explain(error));
      }
      // From here on, Ctrl-C is too late.
      try {
        await unlessLost(lost.signal, () => pool`commit`);
      } catch (error) {
        const explained = await explainDatabaseError(error, target);
        if (isRefusal(error)) throw endingWith(undone, explained);
        throw unknownCommit(explained, error);
      }
      return result;
    };
    const commits: Session['commits'] = async (write) => {
      try {
        await write(sql);
      } catch (error) {
        if (error instanceof GatesError || isRefusal(error)) throw error;
        throw unknownCommit(await explainDatabaseError(error, target), error);
      }
    };
    return await work({ sql, lost: lost.signal, transaction, commits });
  } catch (error) {
    throw await explain(error);
  } finally {
    ended.abort();
    await pool.end({ timeout: lost.signal.aborted ? 0 : 1 });
  }
}

/**
 * Rejects once the connection is lost. postgres.js alone would not: it never settles a query that begins between a socket's
 * error and its end, and connects again for a later one.
 */
function unlessLost<T>(lost: AbortSignal, ask: () => PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onLost = (): void => reject(connectionLost());
    if (lost.aborted) {
      onLost();
      return;
    }
    lost.addEventListener('abort', onLost, { once: true });
    const end = (): void => lost.removeEventListener('abort', onLost);
    void Promise.resolve(ask()).then(resolve, reject).finally(end);
  });
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection is lost'), { code: 'CONNECTION_CLOSED' });
}

/** Whether the database answered with an error, other than that it shuts down. */
function isRefusal(error: unknown): boolean {
  return error instanceof postgres.PostgresError && !error.code.startsWith('57P');
}

function endingWith(sentence: string, error: Error): GatesError {
  // A message of several lines ends with a line break.
  const gap = sentence === '' || error.message.endsWith('\n') ? '' : ' ';
  const message = `${error.message}${gap}${sentence}`;
  if (error instanceof TryAgainError) return new TryAgainError(message, error.cause ?? error);
  return new GatesError(message, error instanceof GatesError ? error.exitCode : 1, error.cause ?? error);
}

async function cancelStatement(target: Target, pid: number): Promise<void> {
  const sql = connect(target);
  try {
    await sql`select pg_cancel_backend(${pid}::int)`;
  } catch {
    // The limit ends the connection then.
  } finally {
    await sql.end({ timeout: 1 });
  }
}
