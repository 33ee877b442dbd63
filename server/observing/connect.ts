import { connect as openSocket, type Socket } from 'node:net';
import postgres from 'postgres';

/** One session with the database. Unlike a pool's, its end is noticed and it can be cut at once. */
export interface Session {
  readonly sql: postgres.Sql;
  /** Says goodbye and waits, for a second at most, until the other side has let go of what it held for us. */
  end(): Promise<void>;
  /** Cuts the connection without waiting for the other side, which may have gone silent. */
  destroy(): void;
}

const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Prepares one session; it connects with the first query. `parameters` are PostgreSQL's run-time parameters;
 * `replication: 'database'` makes it a replication connection.
 */
export function openSession(url: string, parameters: Record<string, string>): Session {
  let socket: Socket | undefined;
  const options = {
    max: 1,
    prepare: false,
    fetch_types: false,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: CONNECT_TIMEOUT_MS / 1_000,
    keep_alive: 10,
    onnotice: () => {},
    connection: { application_name: 'triagem', ...parameters },
    // A socket of ours can be destroyed while the library still waits for the other side.
    socket: async (target: { host: string[]; port: number[]; path: string | undefined }) => {
      socket = await connected(target);
      return socket;
    },
  };
  const sql = postgres(url, options);
  const destroy = (): void => {
    socket?.destroy();
    void sql.end({ timeout: 0 }).catch(() => {});
  };
  return {
    sql,
    async end() {
      await sql.end({ timeout: 1 }).catch(() => {});
      destroy();
    },
    destroy,
  };
}

function connected(target: { host: string[]; port: number[]; path: string | undefined }): Promise<Socket> {
  const host = target.host[0] ?? 'localhost';
  return new Promise((resolve, reject) => {
    const socket = target.path
      ? openSocket({ path: target.path })
      : openSocket({ host, port: target.port[0] ?? 5432, noDelay: true });
    const timer = setTimeout(() => {
      const error = new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`);
      socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    }, CONNECT_TIMEOUT_MS);
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      // The library takes the name for the certificate from here.
      resolve(Object.assign(socket, { host }));
    });
    socket.once('close', () => clearTimeout(timer));
  });
}
