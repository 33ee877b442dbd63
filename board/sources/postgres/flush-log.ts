import type postgres from 'postgres';

export const FIX_OF_UNFLUSHED =
  'look at its disk, at its process "walwriter", and at wal_writer_delay, for which commits with synchronous_commit = off wait';

/**
 * Has PostgreSQL flush its log (WAL) to the end, soon. What no commit waits for may stay unflushed for 15 s, even half a
 * record, and a stream does not pass it meanwhile: a hint that the decoding of a commit leaves in a catalogue, for example.
 * The statement takes a transaction ID, which its commit writes to the log; it changes no table, and waits for nothing. A
 * database that refuses it, as one that has no more transaction IDs to give, is observed all the same. Never rejects.
 */
export async function flushLog(sql: postgres.Sql): Promise<void> {
  await sql`select pg_current_xact_id()`.catch(() => {});
}
