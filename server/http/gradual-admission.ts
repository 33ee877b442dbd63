import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** So many connections' first requests take the event loop a few tens of milliseconds, just after a start too. */
const ADMITTED_AT_ONCE = 32;

/**
 * Lets new connections in a few at a time, in the order in which they came. After a restart every screen is back
 * within a second or two: taken all at once, they would hold the event loop until the last one is served.
 *
 * Returns how all are cut, and those that come later, too: a server that closes waits for every one of them, and
 * Node's closeAllConnections() misses some.
 */
export function admitGradually(server: Server): () => void {
  const open = new Set<Socket>();
  let isClosing = false;
  const emit = server.emit.bind(server);
  let waiting: Socket[] = [];
  const admit = (): void => {
    const admitted = waiting.slice(0, ADMITTED_AT_ONCE);
    waiting = waiting.slice(ADMITTED_AT_ONCE);
    for (const socket of admitted) if (!socket.destroyed) emit('connection', socket);
    if (waiting.length > 0) setImmediate(admit);
  };
  server.emit = (event: string, ...rest: unknown[]): boolean => {
    if (event !== 'connection') return emit(event, ...rest);
    const socket = rest[0] as Socket;
    if (isClosing) {
      socket.destroy();
      return true;
    }
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // Nobody else listens yet.
    socket.on('error', () => socket.destroy());
    if (waiting.push(socket) === 1) setImmediate(admit);
    return true;
  };
  return () => {
    isClosing = true;
    for (const socket of open) socket.destroy();
  };
}
