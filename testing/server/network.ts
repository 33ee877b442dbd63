import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { closeOnce } from '../close-once.ts';
import { listenLocally } from './port.ts';

/** A TCP network between two real parts: it passes their bytes on, until a method changes that. */
export interface Network {
  readonly port: number;
  /** The target's address, by way of this network. */
  readonly url: string;
  /** How many connections have been opened so far, and how many of them `cutAfter` has cut. */
  readonly opened: number;
  readonly cuts: number;
  /** How many of them are open. */
  readonly open: number;
  /** Whether the text of `holdOn` has come. */
  readonly hasHeldOn: boolean;
  /** What was sent to the target, and by it, as Latin-1 (a byte is a character), if `records`. */
  readonly requests: string;
  readonly answers: string;
  /** Nothing passes, and nothing is closed, until `restore`; `only`: on this connection, by the order of opening. */
  hold(only?: number): void;
  /** The next connection that sends this text, of those that have sent `before` it, is held before the target has got it. */
  holdOn(text: string, before?: string): void;
  /** Holds what is open now, or opened until `restore`, for ever: neither side is notified. */
  swallow(): void;
  /** Connections are reset, and new ones as soon as they are made, until `restore`. */
  cut(): void;
  /** Closes every connection, present or future, once it has passed `bytes` more bytes from the target. */
  cutAfter(bytes: number | undefined): void;
  /** Everything passes again. What was held comes, the oldest first; the target's TCP gives up what was swallowed. */
  restore(): void;
  /** Resets every open connection, and sends every later one to another target. */
  redirect(target: string): void;
  /** Limits the bytes per second from the target, on each connection. The rest waits in the buffers of both. */
  throttle(bytesPerSecond: number | undefined): void;
  close(): void;
}

export interface NetworkOptions {
  /** A connection on which nothing passes for this long is reset. */
  readonly idleLimitMs?: number;
  readonly bytesPerSecond?: number;
  readonly records?: boolean;
  /** Changes the bytes that the target sends. */
  readonly rewrite?: (bytes: Buffer) => Buffer;
}

const CHUNK_BYTES = 2_048;
/** How much of what a connection sent is kept. */
const BEGUN_LENGTH = 65_536;
/** A swallowed connection ends after seconds here, elsewhere after minutes. */
const GIVEN_UP_AFTER_MS = 10_000;

/** `target`: an address, of which host and port count. */
export async function startNetwork(target: string | URL, options: NetworkOptions = {}): Promise<Network> {
  const { idleLimitMs, records = false, rewrite = (bytes) => bytes } = options;
  const links: Link[] = [];
  let targetPort = Number(new URL(target).port);
  let state: 'passing' | 'held' | 'swallowed' | 'cut' = 'passing';
  let { bytesPerSecond } = options;
  let textToHoldOn: string | undefined;
  let textBefore = '';
  let bytesToCut: number | undefined;

  const server = createServer((near) => {
    if (state === 'cut') {
      near.on('error', () => near.destroy()).resetAndDestroy();
      return;
    }
    const link = new Link(near, connect(targetPort, '127.0.0.1'), idleLimitMs);
    link.bytesToCut = bytesToCut;
    if (state !== 'passing') link.hold();
    link.isLost = state === 'swallowed';
    network.opened = links.push(link);
    const up = passing(
      () => CHUNK_BYTES,
      async (bytes, push) => {
        if (link.begun.length < BEGUN_LENGTH) link.begun += bytes.toString('latin1');
        if (textToHoldOn !== undefined && bytes.includes(textToHoldOn) && link.begun.includes(textBefore)) {
          textToHoldOn = undefined;
          network.hasHeldOn = true;
          link.hold();
        }
        await link.flows;
        if (records) network.requests += bytes.toString('latin1');
        push(bytes);
      },
    );
    let freeAtMs = 0;
    const down = passing(
      () => Math.min(CHUNK_BYTES, Math.ceil((bytesPerSecond ?? Infinity) / 10)),
      async (bytes, push) => {
        await link.flows;
        if (bytesPerSecond !== undefined) {
          freeAtMs = Math.max(freeAtMs, performance.now()) + (bytes.length * 1_000) / bytesPerSecond;
          await pause(Math.max(0, freeAtMs - performance.now()));
          // Held while it was under way.
          await link.flows;
        }
        if (link.isCut) return;
        if (records) network.answers += bytes.toString('latin1');
        const left = link.bytesToCut ?? Infinity;
        push(rewrite(bytes.subarray(0, left)));
        if (link.bytesToCut !== undefined) link.bytesToCut -= bytes.length;
        if (bytes.length < left) return;
        link.isCut = true;
        network.cuts += 1;
        // What was let through arrives; what was held back never does.
        setImmediate(() => link.destroy());
      },
    );
    near.pipe(up).pipe(link.far).pipe(down).pipe(near);
  });
  const port = await listenLocally(server);

  const network: { -readonly [Key in keyof Network]: Network[Key] } = {
    port,
    url: Object.assign(new URL(target), { port }).href.replace(/\/$/, ''),
    opened: 0,
    get open() {
      return links.filter(({ near }) => !near.destroyed).length;
    },
    cuts: 0,
    hasHeldOn: false,
    requests: '',
    answers: '',
    hold(only) {
      if (only === undefined) state = 'held';
      for (const link of only === undefined ? links : links.slice(only, only + 1)) link.hold();
    },
    holdOn(text, before = '') {
      textToHoldOn = text;
      textBefore = before;
      network.hasHeldOn = false;
    },
    swallow() {
      state = 'swallowed';
      for (const link of links) {
        link.hold();
        link.isLost = true;
      }
    },
    cut() {
      state = 'cut';
      for (const link of links) link.reset();
    },
    redirect(to) {
      targetPort = Number(new URL(to).port);
      for (const link of links) link.reset();
    },
    cutAfter(bytes) {
      bytesToCut = bytes;
      for (const link of links) link.bytesToCut = bytes;
    },
    restore() {
      state = 'passing';
      const lost = links.filter(({ isLost }) => isLost);
      setTimeout(() => lost.forEach(({ far }) => far.destroy()), GIVEN_UP_AFTER_MS).unref();
      for (const link of links) if (!link.isLost) link.release();
    },
    throttle(rate) {
      bytesPerSecond = rate;
    },
    close: closeOnce(() => {
      for (const link of links) link.destroy();
      server.close();
    }),
  };
  return network;
}

/** One connection: two sockets, of which the end of one ends the other, unless it is held. */
class Link {
  /** The first bytes that the client sent, as Latin-1. */
  begun = '';
  readonly near: Socket;
  readonly far: Socket;
  flows: Promise<void> | undefined;
  bytesToCut: number | undefined;
  isCut = false;
  isLost = false;
  #release: () => void = () => {};

  constructor(near: Socket, far: Socket, idleLimitMs: number | undefined) {
    this.near = near;
    this.far = far;
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      if (idleLimitMs !== undefined) socket.setTimeout(idleLimitMs, () => this.reset());
      socket.on('error', () => socket.destroy());
      socket.on('close', async () => {
        await this.flows;
        this.destroy();
      });
    }
  }

  hold(): void {
    this.flows ??= new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release();
    this.flows = undefined;
  }

  reset(): void {
    for (const socket of [this.near, this.far]) socket.resetAndDestroy();
  }

  destroy(): void {
    for (const socket of [this.near, this.far]) socket.destroy();
  }
}

function passing(
  pieceBytes: () => number,
  pass: (bytes: Buffer, push: (bytes: Buffer) => void) => Promise<void>,
): Transform {
  return new Transform({
    async transform(bytes: Buffer, _encoding, done) {
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.subarray(at, at + pieceBytes());
        await pass(piece, (passed) => void this.push(passed));
        at += piece.length;
      }
      done();
    },
  });
}
