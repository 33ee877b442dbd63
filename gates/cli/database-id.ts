import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { errorCode } from './errors.ts';

const LENGTH = 16;
const INSUFFICIENT_PRIVILEGE = '42501';

/** Identifies the database independently of the connection string, and of which host is its primary. It has no secret. */
export async function readDatabaseId(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<[{ place: string }]>`
    select system_identifier || ' ' || current_database() as place from pg_control_system()`;
  return shorten(row.place);
}

/**
 * Identifies the database as long as its server runs, so that a copy of its folder has another. Returns undefined where the
 * role may not ask for it, which keeps nobody from writing.
 */
export async function tryReadRunId(sql: postgres.Sql): Promise<string | undefined> {
  try {
    const [row] = await sql<
      [{ since: string }]
    >`select extract(epoch from pg_postmaster_start_time())::text as since`;
    return shorten(`${await readDatabaseId(sql)} ${row.since}`);
  } catch (error) {
    if (errorCode(error) === INSUFFICIENT_PRIVILEGE) return undefined;
    throw error;
  }
}

function shorten(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH);
}
