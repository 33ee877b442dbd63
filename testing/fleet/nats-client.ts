import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { closeOnce } from '../close-once.ts';
import { type Nats, NATS_USERS, type NatsUser } from './nats-server.ts';

/** How a client of a test's own, which knows nothing of Triagem, signs in: each user at another server. */
export function natsOptions(nats: Nats, user: NatsUser): ConnectionOptions {
  const { NATS_PASSWORD = '', NATS_CA_FILE = '' } = nats.settingsOf(user);
  return {
    servers: nats.servers[NATS_USERS.indexOf(user) % nats.servers.length]?.url ?? '',
    ignoreClusterUpdates: true,
    user,
    pass: NATS_PASSWORD,
    ...(nats.caFile === undefined ? {} : { tls: { caFile: NATS_CA_FILE } }),
    inboxPrefix: `triagem.main.inbox.${user}`,
    reconnect: false,
  };
}

/** Closed with the test. */
export async function openNatsClient(options: ConnectionOptions): Promise<NatsConnection> {
  const connection = await connect(options);
  closeOnce(() => connection.close());
  return connection;
}

/** The messages that a connection receives on a subject. */
export interface NatsListener {
  /** `SUBJECT CONTENT`, in order. */
  readonly messages: readonly string[];
  /** Why the server refuses the subscription. */
  readonly refusal: string | undefined;
}

/** Resolves once its server has taken or refused it. */
export async function listenOnNats(connection: NatsConnection, subject: string): Promise<NatsListener> {
  const messages: string[] = [];
  const listener: { messages: readonly string[]; refusal: string | undefined } = {
    messages,
    refusal: undefined,
  };
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error) listener.refusal = error.message;
      else messages.push(`${message.subject} ${message.string()}`);
    },
  });
  await connection.flush();
  return listener;
}
