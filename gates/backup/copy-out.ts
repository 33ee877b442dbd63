import type postgres from 'postgres';

/** Yields the rows of a COPY statement in chunks. A caller that stops before the end must close the connection. */
export async function* copyOut(sql: postgres.Sql, statement: string): AsyncGenerator<Buffer> {
  const rows = await sql.unsafe(statement).readable();
  try {
    yield* rows.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } finally {
    // postgres.js stops reading its socket while rows are buffered here, and does not resume after the last ones
    // (porsager/postgres#499): nothing more would arrive, not even the end of the connection.
    rows.on('error', () => {});
    // The last chunk may have paused it again.
    rows.once('end', () => rows._read(0));
    rows.resume();
    if (rows.errored === null) rows._read(0);
  }
}
