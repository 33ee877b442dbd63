import postgres from 'postgres';
import { explainDatabaseError } from './database-errors.ts';
import { GatesError, stopped, TryAgainError, UnknownCommitError } from './errors.ts';
import { connect, type Target } from './target.ts';

/** How long the database has to end what Ctrl-C broke off. */
const STOP_LIMIT_MS = 5_000;
const UNKNOWN = 'Whether the commit was made is not known: look before you do this again.';

/** One session with the database, never replaced by another unseen. Ctrl-C ends the statement that runs, and is its last. */
export interface Session {
  readonly sql: postgres.Sql;
  /** Aborts when the connection is lost. */
  readonly lost: AbortSignal;
  /**
   * Resolves once what `write` wrote is committed, and not before. Whatever fails, nothing is written, and the message
   * ends with `undone`; or it says that this is not known, as an UnknownCommitError.
   */
  transaction<T>(undone: string, write: (sql: postgres.Sql) => Promise<T>): Promise<T>;
}

/** @throws GatesError where the database fails, with cause and fix, or where Ctrl-C ends it; else what `work` throws. */
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
      // The library would connect again, and go on outside of the transaction.
      if (lost.signal.aborted) throw connectionLost();
      return Reflect.apply(statement, self, values) as unknown;
    },
  });
  const explain = async (error: unknown): Promise<Error> =>
    stop.aborted && !(error instanceof GatesError) ? stopped() : explainDatabaseError(error, target);
  const ended = new AbortController();

  try {
    const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
    const onStop = (): void => {
      void cancelStatement(target, pid);
      setTimeout(() => void pool.end({ timeout: 0 }), STOP_LIMIT_MS).unref();
    };
    stop.addEventListener('abort', onStop, { once: true, signal: ended.signal });

    // Not sql.begin: where the connection breaks within it, the library writes its rollback to no socket and brings the
    // process down.
    const transaction: Session['transaction'] = async (undone, write) => {
      let result;
      try {
        await unlessLost(lost.signal, () => sql`begin`);
        // It is waited for in any case: it may have something of its own to undo.
        result = await write(sql);
        if (stop.aborted) throw stopped();
        if (lost.signal.aborted) throw connectionLost();
      } catch (error) {
        await unlessLost(lost.signal, () => pool`rollback`).catch(() => {});
        throw endingWith(undone, await explain(error));
      }
      // From here on, Ctrl-C comes too late.
      try {
        await unlessLost(lost.signal, () => pool`commit`);
      } catch (error) {
        const explained = await explainDatabaseError(error, target);
        if (isRefusal(error)) throw endingWith(undone, explained);
        throw new UnknownCommitError(endingWith(UNKNOWN, explained).message, error);
      }
      return result;
    };
    return await work({ sql, lost: lost.signal, transaction });
  } catch (error) {
    throw await explain(error);
  } finally {
    ended.abort();
    await pool.end({ timeout: lost.signal.aborted ? 0 : 1 });
  }
}

/**
 * Rejects once the connection is lost, also where the library would never: it settles no query that is begun between the
 * error of a socket and its end, and connects again for one that is begun later.
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

/** The database has answered, and is not going down while it did. */
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
    // Then it is given up soon.
  } finally {
    await sql.end({ timeout: 1 });
  }
}
