import type postgres from 'postgres';
import { connectionFault, ConnectionFaultError, type ServerPlace } from '../connection-fault.ts';
import { openSession } from '../database-session.ts';
import { findPrimaryUrl } from './primary-watch.ts';

/** Nothing waits for what is read: a statement may take its time, and holds no lock that another waits for. */
const SETTINGS = {
  application_name: 'triagem earlier matches',
  default_transaction_read_only: 'on',
  statement_timeout: '30000',
};
const END_LIMIT_MS = 300;

export interface ServerAddress {
  /** A connection string; with several hosts, the primary among them is meant. */
  readonly url: string;
  /** Whose server that is. */
  readonly place: ServerPlace;
}

/** Reads on a session of its own, which `signal` ends. Rejects with a ConnectionFaultError where it gets none. */
export async function atPrimary<T>(
  { url, place }: ServerAddress,
  signal: AbortSignal,
  read: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const primaryUrl = await findPrimaryUrl(url, place, signal);
  signal.throwIfAborted();
  const session = openSession(primaryUrl, SETTINGS);
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
