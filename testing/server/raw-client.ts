import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends whatever it likes, byte by byte, and keeps what it was answered. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything received so far. */
  text(): string;
  /** Status codes of the answers so far, in order. */
  statuses(): number[];
  closed(): boolean;
  write(bytes: string | Uint8Array): void;
  /** Asks for a path, and leaves the connection open. */
  get(path: string, headers?: Readonly<Record<string, string>>): void;
  leave(): void;
}

export async function openRawClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  let isClosed = false;
  socket.on('data', (bytes) => (received += bytes.toString('latin1')));
  socket.on('close', () => (isClosed = true));
  await once(socket, 'connect');
  // From here on: being cut off is what it is here for.
  socket.on('error', () => {});
  return {
    socket,
    text: () => received,
    statuses: () => [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status)),
    closed: () => isClosed,
    write: (bytes) => void socket.write(bytes),
    get: (path, headers) => void socket.write(rawRequest('GET', path, headers)),
    leave: () => void socket.destroy(),
  };
}

/** A request as it goes over the wire. */
export function rawRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
}

/**
 * Sends bytes as they are, and resolves once the server has closed the connection (or after `limitMs`). It says that
 * no more will come, unless `stays`: Node drops an answer that it is still making when the client ends.
 */
export async function sendRaw(
  url: string,
  bytes: string | Uint8Array,
  { stays = false, limitMs = 10_000 } = {},
): Promise<RawClient> {
  const client = await openRawClient(url);
  const closed = once(client.socket, 'close');
  const timer = setTimeout(() => client.leave(), limitMs);
  if (stays) client.write(bytes);
  else client.socket.end(bytes);
  await closed;
  clearTimeout(timer);
  return client;
}
