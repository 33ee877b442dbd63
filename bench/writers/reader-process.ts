import postgres from 'postgres';
import { serveRpc } from '../support/rpc.ts';

/** The least that anybody who follows the log can cost: it reads all changes, and throws them away. */

const SLOT = 'bench_reader';

serveRpc({
  async read(url: string) {
    const sql = postgres(url, { max: 1, fetch_types: false, connection: { replication: 'database' } });
    await sql.unsafe(`CREATE_REPLICATION_SLOT ${SLOT} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`);
    const stream = await sql
      .unsafe(`START_REPLICATION SLOT ${SLOT} LOGICAL 0/0 (proto_version '1', publication_names 'triagem')`)
      .readable();
    stream.on('error', () => {});
    stream.resume();
  },
});
