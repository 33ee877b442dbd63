import { setTimeout as pause } from 'node:timers/promises';
import {
  connect,
  type ConnectionOptions,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { type NatsServerAddress, type NatsTarget, placeOf } from './nats-target.ts';

export interface NatsConnectOptions {
  readonly target: NatsTarget;
  /** The name of the connection in NATS's own monitoring. */
  readonly name: string;
  /** The index of the server to try first. */
  readonly first: number;
  /** No server has let us in before: each has more time. */
  readonly isHard: boolean;
  readonly signal: AbortSignal;
  readonly onFailure: (reason: string) => void;
}

/** How long a connection may take; twice as long where it is hard. */
const CONNECT_LIMIT_MS = 2_000;
/** Another server is tried beside one that has not let us in for this long. */
const PATIENCE_MS = 500;

export interface MadeConnection {
  readonly connection: NatsConnection;
  readonly server: NatsServerAddress;
}

/**
 * Goes through the servers once. The next one is tried where one fails, or has not let us in after PATIENCE_MS; the first
 * that does is used. `undefined`: none did.
 */
export function connectToAny(options: NatsConnectOptions): Promise<MadeConnection | undefined> {
  const { first, signal, onFailure } = options;
  const { servers } = options.target;
  let isOver = false;
  const connectTo = async (index: number): Promise<MadeConnection> => {
    const server = servers[index % servers.length];
    if (!server || isOver || signal.aborted) throw new Error('not needed');
    const place = placeOf(server);
    const connection = await connect(connectionOptions(place, options)).catch((error: unknown) => {
      if (!isOver && !signal.aborted) onFailure(`${place}: ${explainNatsError(error)}`);
      throw error;
    });
    if (isOver || signal.aborted) {
      connection.close().catch(() => {});
      throw new Error('not needed');
    }
    isOver = true;
    return { connection, server };
  };
  let turn: Promise<unknown> = Promise.resolve();
  const attempts = servers.map((_, n) => {
    const attempt = turn.then(() => connectTo(first + n));
    const patience = (): Promise<void> => pause(PATIENCE_MS, undefined, { ref: false });
    turn = turn.then(() => Promise.race([attempt.catch(() => {}), patience()]));
    return attempt;
  });
  return Promise.any(attempts).catch(() => undefined);
}

function connectionOptions(server: string, { target, name, isHard }: NatsConnectOptions): ConnectionOptions {
  const { isTls, caFile, account } = target;
  const options: ConnectionOptions = {
    servers: [server],
    name,
    // NatsLink reconnects.
    reconnect: false,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
    timeout: isHard ? 2 * CONNECT_LIMIT_MS : CONNECT_LIMIT_MS,
    pingInterval: 60_000,
  };
  if (isTls) options.tls = caFile === undefined ? {} : { caFile };
  if (account?.kind === 'password') Object.assign(options, { user: account.user, pass: account.password });
  if (account?.kind === 'credentials') {
    options.authenticator = credsAuthenticator(new TextEncoder().encode(account.text));
  }
  return options;
}

/** Explains an error of NATS or its client to the operator. */
export function explainNatsError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/authorization violation|authentication/i.test(message)) {
    return 'NATS refuses the user: correct NATS_USER and NATS_PASSWORD, or NATS_CREDS';
  }
  if (/connection refused/i.test(message))
    return 'nobody listens there: start nats-server, or correct NATS_URL';
  if (/timeout/i.test(message)) return 'it does not answer';
  return message;
}
