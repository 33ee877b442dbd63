import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Stands between two real parts, to stall, cut and throttle what passes. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections have been opened so far. */
  readonly opened: number;
  /** How many connections `cutAfter` has cut so far. */
  readonly cut: number;
  /** Nothing passes any more, and nothing is closed; `only`: on this connection alone, by the order of opening. */
  stall(only?: number): void;
  resume(): void;
  /** The next connection that sends this text stalls before the target has got it. */
  stallOn(text: string): void;
  /** Whether that has happened. */
  readonly hasStalledOn: boolean;
  /** Cuts every connection, open or to come, when it has brought so many more bytes from the target. */
  cutAfter(bytes: number | undefined): void;
  /** As much passes per second, in each direction, on all connections together. */
  throttle(bytesPerSecond: number | undefined): void;
  close(): void;
}

export interface TcpProxyOptions {
  /** What comes from the target, changed on its way. */
  readonly rewrite?: (bytes: Buffer) => Buffer;
}

const PIECE_BYTES = 2_048;

export async function startTcpProxy(targetPort: number, options: TcpProxyOptions = {}): Promise<TcpProxy> {
  const { rewrite = (bytes) => bytes } = options;
  const lines: Line[] = [];
  let [isStalled, cut] = [false, 0];
  let textToStallOn: string | undefined;
  let bytesToCut: number | undefined;
  let bytesPerSecond: number | undefined;

  const pacer = (): ((bytes: number) => Promise<unknown> | void) => {
    let freeAtMs = 0;
    return (bytes) => {
      if (bytesPerSecond === undefined) return undefined;
      freeAtMs = Math.max(freeAtMs, performance.now()) + (bytes * 1_000) / bytesPerSecond;
      return pause(freeAtMs - performance.now());
    };
  };
  const [paceUp, paceDown] = [pacer(), pacer()];

  const server = createServer((near) => {
    const line = new Line(near, connect(targetPort, '127.0.0.1'));
    line.bytesToCut = bytesToCut;
    if (isStalled) line.stall();
    lines.push(line);
    const up = passing(async (bytes, push) => {
      if (textToStallOn !== undefined && bytes.includes(textToStallOn)) {
        textToStallOn = undefined;
        line.stall();
      }
      await line.flows;
      await paceUp(bytes.length);
      push(bytes);
    });
    const down = passing(async (bytes, push) => {
      await line.flows;
      await paceDown(bytes.length);
      if (line.isCut) return;
      const left = line.bytesToCut ?? Infinity;
      push(rewrite(bytes.subarray(0, left)));
      if (line.bytesToCut !== undefined) line.bytesToCut -= bytes.length;
      if (bytes.length < left) return;
      line.isCut = true;
      cut += 1;
      // What was let through arrives; what was held back never does.
      setImmediate(() => line.destroy());
    });
    near.pipe(up).pipe(line.far).pipe(down).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    get opened() {
      return lines.length;
    },
    get cut() {
      return cut;
    },
    stall(only) {
      if (only === undefined) isStalled = true;
      for (const line of only === undefined ? lines : lines.slice(only, only + 1)) line.stall();
    },
    resume() {
      isStalled = false;
      for (const line of lines) line.resume();
    },
    stallOn(text) {
      textToStallOn = text;
    },
    get hasStalledOn() {
      return textToStallOn === undefined;
    },
    cutAfter(bytes) {
      bytesToCut = bytes;
      for (const line of lines) line.bytesToCut = bytes;
    },
    throttle(rate) {
      bytesPerSecond = rate;
    },
    close() {
      for (const line of lines) line.destroy();
      server.close();
    },
  };
}

/** One connection through the proxy: two sockets, of which the end of one ends the other, unless it is stalled. */
class Line {
  readonly near: Socket;
  readonly far: Socket;
  flows: Promise<void> | undefined;
  bytesToCut: number | undefined;
  isCut = false;
  #resume: () => void = () => {};

  constructor(near: Socket, far: Socket) {
    this.near = near;
    this.far = far;
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', async () => {
        await this.flows;
        this.destroy();
      });
    }
  }

  stall(): void {
    this.flows ??= new Promise((resolve) => (this.#resume = resolve));
  }

  resume(): void {
    this.#resume();
    this.flows = undefined;
  }

  destroy(): void {
    this.near.destroy();
    this.far.destroy();
  }
}

function passing(pass: (bytes: Buffer, push: (bytes: Buffer) => void) => Promise<void>): Transform {
  return new Transform({
    async transform(bytes: Buffer, _encoding, done) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
        await pass(bytes.subarray(at, at + PIECE_BYTES), (piece) => void this.push(piece));
      }
      done();
    },
  });
}
