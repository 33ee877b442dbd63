import type postgres from 'postgres';

/** The rows that a COPY statement brings, a piece at a time. Whoever leaves before the end can only close the connection. */
export async function* copyOut(sql: postgres.Sql, statement: string): AsyncGenerator<Buffer> {
  const rows = await sql.unsafe(statement).readable();
  try {
    yield* rows.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    // postgres.js stops reading its socket while rows wait here, and does not go on where they were the last
    // (porsager/postgres#499). Nothing else would ever come, not even the end of the connection.
    rows.on('error', () => {});
    // What came last may have stopped it, too.
    rows.once('end', () => rows._read(0));
    rows.resume();
    if (rows.errored === null) rows._read(0);
  }
}
