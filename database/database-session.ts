import { once } from 'node:events';
import { connect as openSocket, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { addressOf } from '../domain/database-hosts.ts';
import { SEARCH_PATH } from './with-connection.ts';

/** One session with the database. Unlike a pool's, it is never replaced unnoticed, and can be ended while the server is silent. */
export interface Session {
  readonly sql: postgres.Sql;
  /** Ends the session, and waits until the server has released its resources, at most for `graceMs`. */
  end(graceMs?: number): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** It begins with the connection. Over a slow link a login takes five round trips, and some of them twice. */
const LOGIN_TIMEOUT_MS = 6_000;
const CLOSE_GRACE_MS = 1_000;

/**
 * Prepares one session; it connects with the first query. `url` has one host. `parameters` are PostgreSQL's run-time parameters;
 * `replication: 'database'` makes it a replication connection.
 */
export function openSession(url: string, parameters: Record<string, string>): Session {
  let socket: Socket | undefined;
  let isOver = false;
  const options = {
    ...addressOf(url),
    max: 1,
    prepare: false,
    fetch_types: false,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: LOGIN_TIMEOUT_MS / 1_000,
    keep_alive: 10,
    onnotice: () => {},
    connection: {
      application_name: 'triagem',
      search_path: SEARCH_PATH,
      // A database or a role may round what is read.
      extra_float_digits: '1',
      // Or quote the types that a catalogue names.
      quote_all_identifiers: 'off',
      // Or ask for what a standby cannot do.
      default_transaction_isolation: 'read committed' as const,
      // By default a server keeps a session for two hours whose client was cut off.
      tcp_keepalives_idle: '10',
      tcp_keepalives_interval: '5',
      tcp_keepalives_count: '4',
      tcp_user_timeout: '30s',
      ...parameters,
    },
    // An own socket can be destroyed while the library still waits for the server.
    socket: async (target: { host: string[]; port: number[]; path: string | undefined }) => {
      // The library would reconnect without pause to a server that hangs up.
      if (socket) throw Object.assign(new Error('it hung up'), { code: 'CONNECTION_CLOSED' });
      socket = await connected(target);
      if (isOver) socket.destroy();
      return socket;
    },
  };
  const sql = postgres(url, options);
  return {
    sql,
    async end(graceMs = CLOSE_GRACE_MS) {
      isOver = true;
      const giveUpAtMs = performance.now() + graceMs;
      await sql.end({ timeout: graceMs / 1_000 }).catch(() => {});
      if (socket && !socket.closed) {
        const leftMs = Math.max(0, giveUpAtMs - performance.now());
        await Promise.race([once(socket, 'close'), pause(leftMs, undefined, { ref: false })]).catch(() => {});
      }
      socket?.destroy();
    },
  };
}

function connected(target: { host: string[]; port: number[]; path: string | undefined }): Promise<Socket> {
  const host = target.host[0] ?? 'localhost';
  const port = target.port[0] ?? 5432;
  return new Promise((resolve, reject) => {
    const socket = target.path
      ? openSocket({ path: target.path })
      : openSocket({ host, port, noDelay: true });
    const timer = setTimeout(() => {
      const error = new Error(`no answer from ${host}:${port} within ${CONNECT_TIMEOUT_MS / 1_000} s`);
      socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    }, CONNECT_TIMEOUT_MS);
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      // The library reads the certificate's name from here, and both for the error of a time-out.
      resolve(Object.assign(socket, { host, port }));
    });
    socket.once('close', () => clearTimeout(timer));
  });
}
