import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { noteReceived } from './received-at.ts';

/** This many requests occupy the event loop for a few tens of milliseconds, even just after a start. */
const MAX_AT_ONCE = 16;

/**
 * A proxy gives up a request after one second without an answer (deploy/nginx-edges.conf), and the screen repeats it. If
 * a longer queue were served from its front, every request would be given up before its turn, and none ever served.
 */
const PATIENCE_MS = 500;
/** New connections may hold up waiting requests for this long, in which some thousand are accepted. */
const MAX_ACCEPTING_MS = 100;

/**
 * Begins requests a few at a time, in the order in which they came, and accepts new connections only while no request
 * waits. After a restart every screen is back within a second or two: begun all at once, they would hold the event loop
 * until the last one is served. Once the first one has waited for too long, the last one is begun first, as its client
 * still waits for the answer.
 *
 * Returns a function that closes all connections, and from then on every new one. A closing server waits for all of
 * them, and Node's closeAllConnections() misses some.
 */
export function paceRequests(server: Server, nowMs = (): number => performance.now()): () => void {
  const open = new Set<Socket>();
  const emit = server.emit.bind(server);
  // Nothing is read from a connection before `accept`.
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

  // Begins one at a time: the microtasks of a request run before the next one begins.
  const beginOne = (): void => {
    const request = requests.next();
    if (request) emit('request', ...request);
    else accept(connections.next());
  };
  const turn = (): void => {
    const waiting = requests.length + connections.length;
    isTurning = waiting > 0;
    if (!isTurning) return;
    // Node accepts one connection in each turn of the event loop. As long as more arrive, no request is begun.
    const atMs = nowMs();
    const isAccepting = hasAccepted && atMs - turnedAtMs < MAX_ACCEPTING_MS;
    hasAccepted = false;
    if (!isAccepting) {
      turnedAtMs = atMs;
      // The first one begins at once, before Node reads the end of a connection whose client has closed its side.
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
      // Node's HTTP server listens for errors only once it has the connection.
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

/** The waiting items, in the order of their arrival. */
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
   * Takes the first item, or the last one if the first has waited for too long. Skips requests whose client has given up,
   * as a proxy does that asks another server instead.
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
