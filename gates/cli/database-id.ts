import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { errorCode } from './errors.ts';

const LENGTH = 16;
const INSUFFICIENT_PRIVILEGE = '42501';

/** Identifies the database independently of the connection string, and of which host is its primary. It has no secret. */
export async function readDatabaseId(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<[{ place: string }]>`
    select system_identifier || ' ' || current_database() as place from pg_control_system()`;
  return createHash('sha256').update(row.place).digest('hex').slice(0, LENGTH);
}

/** The same; undefined where the role may not ask for it, which keeps nobody from writing. */
export function tryReadDatabaseId(sql: postgres.Sql): Promise<string | undefined> {
  return readDatabaseId(sql).catch((error: unknown) => {
    if (errorCode(error) === INSUFFICIENT_PRIVILEGE) return undefined;
    throw error;
  });
}
