import type postgres from 'postgres';

/**
 * Fails a commit whose wait for the synchronous standby was cancelled: PostgreSQL warns of it, and then reports it as done,
 * although it is lost with the primary. Everything else that the server notes is ignored.
 *
 * @throws Error with the SQLSTATE "statement completion unknown", with which postgres.js rejects the statement
 */
export function refuseUnreplicated({ routine }: postgres.Notice): void {
  if (routine !== 'SyncRepWaitForLSN') return;
  const message = 'the wait for the synchronous standby was cancelled, which may lack what was committed';
  throw Object.assign(new Error(message), { code: '40003' });
}
