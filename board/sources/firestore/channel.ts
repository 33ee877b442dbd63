import type { Socket } from 'node:net';
import {
  type ChannelCredentials,
  Client,
  connectivityState,
  credentials,
  Metadata,
  status,
  type StatusObject,
} from '@grpc/grpc-js';
import { addressOf } from './firestore-error.ts';
import type { FirestoreSettings } from './firestore-settings.ts';
import type { GrpcStatus } from './grpc-status.ts';

const SERVICE = '/google.firestore.v1.Firestore/';
/** The HTTP/2 window: with the default of 64 kB, 40,000 tickets from another continent would take a minute. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** A message holds one document, of one megabyte at most; whatever is longer is no document. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface ListenCall {
  send(request: Buffer): void;
  end(): void;
}

export interface ListenHandlers {
  readonly onMessage: (response: Buffer) => void;
  /** It is over, for whatever reason. */
  readonly onEnd: (end: GrpcStatus) => void;
}

/** A request with one answer, or several. */
export interface Request {
  readonly method: string;
  readonly request: Buffer;
  readonly token: string;
  /** The field of the request by which Google routes it. */
  readonly routing: Readonly<Record<string, string>>;
}

/** A request that has ended with another status than OK. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly end: GrpcStatus;

  constructor(end: GrpcStatus) {
    super(end.message);
    this.end = end;
  }
}

/**
 * One connection to Firestore; it is not made again by itself once it is lost. TLS, proxies and HTTP/2 are those of
 * grpc-js, messages are ours.
 */
export class Channel {
  readonly #client: Client;
  readonly #database: string;
  readonly #sockets = new Set<Socket>();

  constructor(settings: FirestoreSettings, database: string) {
    const isEmulator = settings.emulatorHost !== undefined;
    this.#database = database;
    this.#client = new Client(
      addressOf(settings),
      collectSockets(isEmulator ? credentials.createInsecure() : credentials.createSsl(), this.#sockets),
      {
        // A connection of another session may be dead without knowing it.
        'grpc.use_local_subchannel_pool': 1,
        'grpc.enable_retries': 0,
        'grpc.service_config_disable_resolution': 1,
        'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
        'grpc-node.flow_control_window': WINDOW_BYTES,
        'grpc.enable_http_proxy': isEmulator ? 0 : 1,
      },
    );
  }

  get isConnected(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }

  listen(token: string, { onMessage, onEnd }: ListenHandlers): ListenCall {
    const call = this.#client.makeBidiStreamRequest(
      `${SERVICE}Listen`,
      (request: Buffer) => request,
      (response) => response,
      this.#metadata(token, { database: this.#database }),
    );
    call.on('data', onMessage);
    call.on('status', (end: StatusObject) => onEnd(statusOf(end)));
    // Its status reports the same.
    call.on('error', () => {});
    return { send: (request) => void call.write(request), end: () => call.cancel() };
  }

  /** Returns all responses. Rejects with a RequestError. */
  ask({ method, request, token, routing }: Request, limitMs: number): Promise<Buffer[]> {
    return new Promise((resolve, reject) => {
      const responses: Buffer[] = [];
      const call = this.#client.makeServerStreamRequest(
        SERVICE + method,
        (bytes: Buffer) => bytes,
        (bytes) => bytes,
        request,
        this.#metadata(token, routing),
        { deadline: Date.now() + limitMs },
      );
      call.on('data', (response: Buffer) => responses.push(response));
      call.on('error', () => {});
      call.on('status', (end: StatusObject) => {
        if (end.code === status.OK) resolve(responses);
        else reject(new RequestError(statusOf(end)));
      });
    });
  }

  /** Closes the connection with every request on it. */
  close(): void {
    this.#client.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #metadata(token: string, routing: Request['routing']): Metadata {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    metadata.set('google-cloud-resource-prefix', this.#database);
    metadata.set('x-goog-request-params', new URLSearchParams(routing).toString());
    return metadata;
  }
}

/**
 * A channel that is closed waits for its connections to end, and one to a host that has fallen silent never does. Nothing
 * public of grpc-js gives its sockets away; its version is pinned.
 */
function collectSockets(of: ChannelCredentials, sockets: Set<Socket>): ChannelCredentials {
  const createConnector = of._createSecureConnector.bind(of);
  of._createSecureConnector = (...options) => {
    const connector = createConnector(...options);
    return {
      waitForReady: () => connector.waitForReady(),
      getCallCredentials: () => connector.getCallCredentials(),
      destroy: () => connector.destroy(),
      connect(socket) {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        return connector.connect(socket);
      },
    };
  };
  return of;
}

function statusOf({ code, details }: StatusObject): GrpcStatus {
  return { code, message: details };
}
