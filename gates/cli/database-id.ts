import { createHash } from 'node:crypto';
import type postgres from 'postgres';

const LENGTH = 16;

/** Identifies the database independently of the connection string, and of which host is its primary. It has no secret. */
export async function readDatabaseId(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<[{ place: string }]>`
    select system_identifier || ' ' || current_database() as place from pg_control_system()`;
  return createHash('sha256').update(row.place).digest('hex').slice(0, LENGTH);
}
