import postgres from 'postgres';
import { addressOf } from '../domain/database-hosts.ts';
import { refuseUnreplicated } from './unreplicated-commit.ts';

/** A role's own search path could shadow the functions that are meant. */
export const SEARCH_PATH = 'pg_catalog';

/** Runs a short piece of work on one connection, and closes that in any case. `url` has one host. */
export async function withConnection<T>(
  url: string,
  work: (sql: postgres.Sql) => Promise<T>,
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const sql = postgres(url, {
    ...addressOf(url),
    max: 1,
    connect_timeout: 10,
    fetch_types: false,
    onnotice: refuseUnreplicated,
    connection: { application_name: 'triagem setup', quote_all_identifiers: 'off', ...settings },
  });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

export function quoteIdentifier(name: string): string {
  if (name === '' || name.includes('\0')) throw new Error('an SQL name must not be empty or hold a NUL');
  return `"${name.replaceAll('"', '""')}"`;
}

/** The session must have `standard_conforming_strings`, as by default. */
export function quoteLiteral(text: string): string {
  // PostgreSQL refuses it with this code.
  if (text.includes('\0'))
    throw Object.assign(new Error('an SQL text must not hold a NUL'), { code: '22021' });
  return `'${text.replaceAll("'", "''")}'`;
}
