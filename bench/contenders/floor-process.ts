import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import postgres from 'postgres';
import { serveRpc } from '../../testing/server/rpc.ts';

/**
 * The least that anybody who follows the log can cost and take: it counts updates, looks at none of their columns, and
 * tells the total at each commit. With no client, it is a reader that throws everything away.
 */

const SLOT = 'bench_floor';
/** Source: PostgreSQL documentation, "Streaming Replication Protocol" and "Logical Replication Message Formats". */
const XLOG_DATA = 'w'.charCodeAt(0);
const XLOG_DATA_HEAD = 25;
const UPDATE = 'U'.charCodeAt(0);
const COMMIT = 'C'.charCodeAt(0);

serveRpc({
  async listen(url: string): Promise<number> {
    const sockets = new Set<Socket>();
    const counter = postgres(url, { max: 1 });
    const [row] = await counter`select count(*)::int as total from tickets where entrou`;
    await counter.end();
    let total = Number(row?.['total']);
    const tell = (socket: Socket): void => void socket.write(`event: counts\ndata: {"total":${total}}\n\n`);
    const server = createServer((socket) => {
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket)).on('error', () => {});
      socket.resume();
      sockets.add(socket);
      tell(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');

    const sql = postgres(url, { max: 1, fetch_types: false, connection: { replication: 'database' } });
    await sql.unsafe(`CREATE_REPLICATION_SLOT ${SLOT} TEMPORARY LOGICAL pgoutput NOEXPORT_SNAPSHOT`);
    const log = await sql
      .unsafe(`START_REPLICATION SLOT ${SLOT} LOGICAL 0/0 (proto_version '1', publication_names 'triagem')`)
      .readable();
    log.on('error', () => {});
    log.on('data', (bytes: Buffer) => {
      if (bytes[0] !== XLOG_DATA) return;
      if (bytes[XLOG_DATA_HEAD] === UPDATE) total += 1;
      else if (bytes[XLOG_DATA_HEAD] === COMMIT) sockets.forEach(tell);
    });
    return (server.address() as AddressInfo).port;
  },
});
