import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { noteReceived } from './received-at.ts';

/** So many requests take the event loop a few tens of milliseconds, just after a start too. */
const MAX_AT_ONCE = 16;

/**
 * A proxy that waits for an answer gives up after a second (deploy/nginx-edges.conf), and its screen asks anew. Served in
 * their order, those of a longer queue would all have given up by the time it is their turn, for ever.
 */
const PATIENCE_MS = 500;
/** Some thousand connections, of which the last ones came last. */
const MAX_ACCEPTING_MS = 100;

/**
 * Begins requests a few at a time, in the order in which they came, and accepts new connections only while no request
 * waits. After a restart every screen is back within a second or two: begun all at once, they would hold the event loop
 * until the last one is served. Once the first one has waited for too long, the last one is begun first: somebody still
 * waits for its answer.
 *
 * Returns the function that closes all connections, later ones too: a server that closes waits for every one of them, and
 * Node's closeAllConnections() misses some.
 */
export function paceRequests(server: Server, nowMs = (): number => performance.now()): () => void {
  const open = new Set<Socket>();
  const emit = server.emit.bind(server);
  // A connection is not read before it is accepted.
  Object.assign(server, { pauseOnConnect: true });
  const requests = new Queue<readonly [IncomingMessage, ServerResponse]>(
    ([{ socket }]) => socket.destroyed,
    nowMs,
  );
  const connections = new Queue<Socket>(({ destroyed }) => destroyed, nowMs);
  let isClosing = false;
  let hasAccepted = false;
  let isTurning = false;
  let turnedAtMs = nowMs();

  // One of them at a time: what a request sets off is done before the next one begins.
  const beginOne = (): void => {
    const request = requests.next();
    if (request) emit('request', ...request);
    else accept(connections.next());
  };
  const turn = (): void => {
    const waiting = requests.length + connections.length;
    isTurning = waiting > 0;
    if (!isTurning) return;
    // Node takes one connection from the kernel each time round. While there are more, nothing else is done.
    const atMs = nowMs();
    const isAccepting = hasAccepted && atMs - turnedAtMs < MAX_ACCEPTING_MS;
    hasAccepted = false;
    if (!isAccepting) {
      turnedAtMs = atMs;
      // The first at once: a client that has closed its side after the request is not read to its end before.
      beginOne();
      for (let begun = 1; begun < Math.min(MAX_AT_ONCE, waiting); begun += 1) setImmediate(beginOne);
    }
    setImmediate(turn);
  };
  const schedule = (): void => {
    if (!isTurning) setImmediate(turn);
    isTurning = true;
  };
  const accept = (socket: Socket | undefined): void => {
    if (!socket) return;
    emit('connection', socket);
    socket.resume();
  };

  server.emit = (event: string, ...rest: unknown[]): boolean => {
    if (event === 'request') {
      const request = rest as unknown as [IncomingMessage, ServerResponse];
      noteReceived(request[0]);
      requests.add(request);
    } else if (event === 'connection') {
      const socket = rest[0] as Socket;
      if (isClosing) {
        socket.destroy();
        return true;
      }
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      // Nobody else listens yet.
      socket.on('error', () => socket.destroy());
      connections.add(socket);
      hasAccepted = true;
    } else return emit(event, ...rest);
    schedule();
    return true;
  };
  return () => {
    isClosing = true;
    for (const socket of open) socket.destroy();
  };
}

/** What waits, in the order in which it came. */
class Queue<Item> {
  readonly #isGone: (item: Item) => boolean;
  readonly #nowMs: () => number;
  readonly #waiting: { readonly item: Item; readonly sinceMs: number }[] = [];

  constructor(isGone: (item: Item) => boolean, nowMs: () => number) {
    this.#isGone = isGone;
    this.#nowMs = nowMs;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(item: Item): void {
    this.#waiting.push({ item, sinceMs: this.#nowMs() });
  }

  /**
   * Returns the first one, or the last one where the first has waited for too long. A client that has given up, as a proxy that
   * asks another server by now, costs nothing more.
   */
  next(): Item | undefined {
    for (;;) {
      const first = this.#waiting[0];
      if (!first) return undefined;
      const isLate = this.#nowMs() - first.sinceMs > PATIENCE_MS && !this.#isGone(first.item);
      const next = isLate ? this.#waiting.pop() : this.#waiting.shift();
      if (next && !this.#isGone(next.item)) return next.item;
    }
  }
}
