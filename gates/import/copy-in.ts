import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';

/** Sends rows to a COPY statement. Resolves once the database has taken them all. @throws the database's error. */
export async function copyIn(
  sql: postgres.Sql,
  statement: string,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const query = sql.unsafe(statement);
  const copy = await query.writable();
  // postgres.js reports an error after the last row to the query only, which is settled by then: the stream would wait
  // forever.
  const refused = new Promise<never>((_resolve, reject) => {
    void Object.assign(query, { reject });
  });
  await Promise.race([pipeline(rows, copy), refused]);
}
