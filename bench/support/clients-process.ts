import { connect, type Socket } from 'node:net';
import { clockMs } from './clock.ts';
import type { TimedTotal } from './delays.ts';
import { serveRpc } from '../../testing/server/rpc.ts';

const BEGIN = Buffer.from('event: counts\n');
const END = Buffer.from('\n\n');
const NOTHING = Buffer.alloc(0);
const LINE_FEED = 0x0a;

/**
 * Finds the complete `counts` events in the bytes of one stream, however they come. It looks for nothing else, so that
 * chunked coding and WebSocket frames are passed over alike, at the same cost.
 */
class FrameScanner {
  #rest = NOTHING;

  /** `bytes` may be used again afterwards. Calls `onFrame` with the text of each event; returns how many there were. */
  scan(bytes: Buffer, onFrame?: (event: Buffer) => void): number {
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    let found = 0;
    let at = 0;
    let begin = all.indexOf(BEGIN);
    for (; begin !== -1; begin = all.indexOf(BEGIN, at)) {
      const end = all.indexOf(END, begin);
      if (end === -1) break;
      at = end + END.length;
      found += 1;
      onFrame?.(all.subarray(begin, at));
    }
    // An event may have begun in the last bytes; most reads end where an event, or its chunk, does.
    if (begin === -1)
      begin = all.at(-1) === LINE_FEED ? all.length : Math.max(at, all.length - BEGIN.length + 1);
    this.#rest = begin < all.length ? Buffer.from(all.subarray(begin)) : NOTHING;
    return found;
  }
}

/** The process of one client, or thousands (clients.ts): plain sockets, and as little work as possible for each read. */

/** What it is asked to open. */
export interface Opening {
  readonly port: number;
  /** What each client sends: a whole HTTP request. */
  readonly request: string;
  readonly count: number;
  /** Of one stream in so many, each delivery is noted. */
  readonly sampleEvery: number;
}

/** A `counts` frame that a client has got. */
export interface Delivery extends TimedTotal {
  readonly stream: number;
}

const OPENING_AT_ONCE = 100;
const OPEN_LIMIT_MS = 20_000;
const TOTAL = /"total":(\d+)/;
/** What to do where the system lets no more viewers connect. */
const FIXES: Readonly<Record<string, string>> = {
  EMFILE: 'the viewers have no more file descriptors: raise the limit with ulimit -n 30000',
  EADDRNOTAVAIL:
    'no local port is left: widen them with sysctl -w net.ipv4.ip_local_port_range="10240 65000"',
};

const sockets = new Set<Socket>();
/** All streams read into it, one after the other. */
const buffer = Buffer.allocUnsafe(65_536);
let frames = 0;
let bytes = 0;
let lost = 0;
let deliveries: Delivery[] = [];
let newestEvent = '';

/**
 * Thousands of clients sleep between reads, instead of being woken for each frame: waking a process of the same machine takes more than to
 * send the frame, is charged to the server, and is no part of serving viewers elsewhere.
 */
const NAP_MS = 2;
const sleeping = new Int32Array(new SharedArrayBuffer(4));
function nap(): void {
  if (sockets.size > 0) Atomics.wait(sleeping, 0, 0, NAP_MS);
  setImmediate(nap);
}
if (process.argv[2] === 'napping') nap();

serveRpc({
  async open({ count, sampleEvery, ...how }: Opening) {
    let opened = 0;
    const openNext = async (): Promise<void> => {
      while (opened < count) {
        const stream = opened;
        opened += 1;
        await openStream(how, stream % sampleEvery === 0 ? stream : undefined);
      }
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, openNext));
  },
  frames() {
    if (lost > 0) throw new Error(`${lost} of the viewers' streams ended by themselves`);
    return frames;
  },
  /** All that has come, heads included. */
  bytes: () => bytes,
  newestEvent: () => newestEvent,
  takeDeliveries() {
    const taken = deliveries;
    deliveries = [];
    return taken;
  },
  closeAll() {
    // With a reset, no port waits in TIME_WAIT: thousands are needed again soon.
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  },
});

type Address = Pick<Opening, 'port' | 'request'>;

/** Resolves with the stream's first counts. `sampled`: its number, if its deliveries are noted. */
function openStream({ port, request }: Address, sampled: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const scanner = new FrameScanner();
    const note = (event: Buffer): void => {
      newestEvent = event.toString('latin1');
      const total = Number(TOTAL.exec(newestEvent)?.[1]);
      deliveries.push({ stream: sampled ?? NaN, total, atMs: clockMs() });
    };
    let isOpen = false;
    const callback = (length: number): boolean => {
      const found = scanner.scan(buffer.subarray(0, length), sampled === undefined ? undefined : note);
      frames += found;
      bytes += length;
      if (found > 0 && !isOpen) {
        isOpen = true;
        clearTimeout(limit);
        resolve();
      }
      return true;
    };
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
    const tooLate = new Error('a viewer got no counts in 20 s');
    const limit = setTimeout(() => socket.destroy(tooLate), OPEN_LIMIT_MS);
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(FIXES[error.code ?? ''] ?? error.message)),
    );
    socket.on('close', () => {
      clearTimeout(limit);
      if (!sockets.delete(socket)) return;
      if (isOpen) lost += 1;
      else reject(new Error('a viewer was refused'));
    });
    socket.write(request);
  });
}
