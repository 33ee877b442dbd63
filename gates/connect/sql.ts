import type postgres from 'postgres';
import { quoteIdentifier } from '../../database/with-connection.ts';

/** Returns a name of a table or the like with its schema, quoted. */
export function qualified(schema: string, name: string): string {
  return `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
}

/** Runs statements as one message, and so in one transaction, unless it is one statement that may not be in any. */
export async function runSql(sql: postgres.Sql, ...statements: readonly string[]): Promise<void> {
  await sql.unsafe(statements.join(';\n')).simple();
}

/** Returns the rows of a query that is made of quoted names and values. */
export async function query<T extends object>(sql: postgres.Sql, text: string): Promise<T[]> {
  return [...(await sql.unsafe<T[]>(text))];
}
