import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So many requests take the event loop a few tens of milliseconds, just after a start too. */
const MAX_AT_ONCE = 16;

/**
 * Begins requests a few at a time, in the order in which they came, and accepts new connections only while no request
 * waits. After a restart every screen is back within a second or two: begun all at once, they would hold the event loop
 * until the last one is served.
 *
 * Returns the function that closes all connections, later ones too: a server that closes waits for every one of them, and
 * Node's closeAllConnections() misses some.
 */
export function paceRequests(server: Server): () => void {
  const open = new Set<Socket>();
  const emit = server.emit.bind(server);
  // A connection is not read before it is accepted.
  Object.assign(server, { pauseOnConnect: true });
  const requests: WaitingRequest[] = [];
  const connections: Socket[] = [];
  let isClosing = false;
  let scheduled = 0;

  // One of them at a time: what a request sets off is done before the next one begins.
  const beginOne = (): void => {
    scheduled -= 1;
    const request = requests.shift();
    // Whoever has given up, as a proxy that asks another server by now, costs nothing more.
    if (request?.[0].socket.destroyed === false) emit('request', ...request);
    else if (!request) accept(connections.shift());
    schedule();
  };
  const schedule = (): void => {
    const wanted = Math.min(MAX_AT_ONCE, requests.length + connections.length);
    for (; scheduled < wanted; scheduled += 1) setImmediate(beginOne);
  };
  const accept = (socket: Socket | undefined): void => {
    if (!socket || socket.destroyed) return;
    emit('connection', socket);
    socket.resume();
  };

  server.emit = (event: string, ...rest: unknown[]): boolean => {
    if (event === 'request') requests.push(rest as unknown as WaitingRequest);
    else if (event === 'connection') {
      const socket = rest[0] as Socket;
      if (isClosing) {
        socket.destroy();
        return true;
      }
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      // Nobody else listens yet.
      socket.on('error', () => socket.destroy());
      connections.push(socket);
    } else return emit(event, ...rest);
    schedule();
    return true;
  };
  return () => {
    isClosing = true;
    for (const socket of open) socket.destroy();
  };
}

type WaitingRequest = readonly [request: IncomingMessage, response: ServerResponse];
