import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';

/** Sends rows to a COPY statement. Resolves once the database has taken them all; throws what it says against them. */
export async function copyIn(
  sql: postgres.Sql,
  statement: string,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const query = sql.unsafe(statement);
  const copy = await query.writable();
  // What the database says after the last row, postgres.js tells the query alone, which is settled: nobody would know,
  // and the stream would wait for ever.
  const refused = new Promise<never>((_resolve, reject) => {
    void Object.assign(query, { reject });
  });
  await Promise.race([pipeline(rows, copy), refused]);
}
