import type postgres from 'postgres';
import { connectionFault, ConnectionFaultError, type ServerPlace } from '../connection-fault.ts';
import { openSession } from '../database-session.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { findPrimaryUrl } from './primary-watch.ts';

const END_LIMIT_MS = 300;

export interface ServerAddress {
  /** A connection string; of several hosts, the primary is used. */
  readonly url: string;

  readonly place: ServerPlace;
  /** Resolves once this process has started that server, or has given up: nothing connects before. */
  readonly started?: Promise<void> | undefined;
}

export interface ReadOptions {
  /** The application name of the session. */
  readonly name: string;
  readonly statementTimeoutMs: number;
  /** It aborts the read and its session. */
  readonly signal: AbortSignal;
}

/** Reads in a session of its own. @throws ConnectionFaultError: there is no session */
export async function atPrimary<T>(
  { url, place, started }: ServerAddress,
  { name, statementTimeoutMs, signal }: ReadOptions,
  read: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  if (started) await unlessAborted(started, signal);
  const primaryUrl = await findPrimaryUrl(url, place, signal);
  signal.throwIfAborted();
  const session = openSession(primaryUrl, {
    application_name: name,
    default_transaction_read_only: 'on',
    statement_timeout: String(statementTimeoutMs),
  });
  const end = (): Promise<void> => session.end(END_LIMIT_MS);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await read(session.sql);
  } catch (error) {
    const fault = connectionFault(error, place);
    throw fault ? new ConnectionFaultError(fault) : error;
  } finally {
    signal.removeEventListener('abort', end);
    await end();
  }
}
