import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A slow line to a server. All connections share its rate; each way takes half of `roundTripMs`. */
export interface SlowLink {
  /** The server, as it is reached over the line. */
  readonly url: string;
  readonly passed: {
    /** HTTP/1.1 requests to the server. */
    readonly requests: number;
    /** What the server sent, heads and all. */
    readonly receivedBytes: number;
  };
  close(): void;
}

const PIECE_BYTES = 4_096;

/** A connection is made at once: only what is sent on it is late. */
export async function openSlowLink(
  serverUrl: string,
  { bytesPerSecond, roundTripMs }: { readonly bytesPerSecond: number; readonly roundTripMs: number },
): Promise<SlowLink> {
  const targetPort = Number(new URL(serverUrl).port);
  const passed = { requests: 0, receivedBytes: 0 };
  const ends = new Set<Socket>();
  const way = () => slowWay(bytesPerSecond, roundTripMs / 2);
  const [up, down] = [way(), way()];
  const listener = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end.setNoDelay(true));
      end.on('error', () => end.destroy());
      end.on('close', (isBroken) => {
        ends.delete(end);
        if (isBroken) other.destroy();
      });
    }
    near.on(
      'data',
      (bytes) => (passed.requests += bytes.toString('latin1').split(' HTTP/1.1\r\n').length - 1),
    );
    far.on('data', (bytes) => (passed.receivedBytes += bytes.length));
    near.pipe(up(far));
    far.pipe(down(near));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    passed,
    close() {
      for (const end of ends) end.destroy();
      listener.close();
    },
  };
}

/** One direction of the line; returns what writes to a socket over it. */
function slowWay(bytesPerSecond: number, lateMs: number): (to: Socket) => Writable {
  let freeAtMs = 0;
  return (to) =>
    new Writable({
      async write(bytes: Buffer, _encoding, done) {
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          const piece = bytes.subarray(at, at + PIECE_BYTES);
          freeAtMs = Math.max(freeAtMs, performance.now()) + (piece.length * 1_000) / bytesPerSecond;
          await sleep(freeAtMs - performance.now());
          setTimeout(() => to.writable && to.write(piece), lateMs);
        }
        done();
      },
      final(done) {
        // After all that is still on its way.
        setTimeout(() => {
          to.end();
          done();
        }, lateMs);
      },
    });
}
