import type postgres from 'postgres';
import { GatesError } from './errors.ts';
import { connect, type Target } from './target.ts';

/**
 * Runs `work` in one transaction, on a connection of its own; any failure closes it, so that PostgreSQL undoes the
 * transaction. Not `sql.begin`, whose rollback ends the process where the connection is lost (porsager/postgres#1208).
 *
 * A statement after such a loss runs on a new connection, outside of the transaction: `work` must ask for nothing there
 * that a session without its temporary tables would carry out.
 *
 * @throws ConnectionLost, after which the transaction may be committed or undone.
 */
export async function inTransaction<T>(
  target: Target,
  mode: '' | 'isolation level repeatable read read only',
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = connect(target);
  let endLimitS = 0;
  try {
    const process = await backendProcess(sql);
    await sql.unsafe(`begin ${mode}`);
    const result = await work(sql);
    await sql`commit`;
    if ((await backendProcess(sql)) !== process) throw new ConnectionLost('The connection was lost.');
    endLimitS = 5;
    return result;
  } finally {
    await sql.end({ timeout: endLimitS });
  }
}

export class ConnectionLost extends GatesError {}

async function backendProcess(sql: postgres.Sql): Promise<number | undefined> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid;
}
