import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../benchmark.ts';

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
}

const PIECE_BYTES = 4_096;

/** A connection is made at once: only what is sent on it is late. */
export async function openSlowLink(
  { stops }: Scope,
  serverUrl: string,
  { bytesPerSecond, roundTripMs }: { readonly bytesPerSecond: number; readonly roundTripMs: number },
): Promise<SlowLink> {
  const passed = { requests: 0, receivedBytes: 0 };
  const ends = new Set<Socket>();
  const [up, down] = [slowWay(bytesPerSecond, roundTripMs / 2), slowWay(bytesPerSecond, roundTripMs / 2)];
  const listener = createServer((near) => {
    const far = connect(Number(new URL(serverUrl).port), '127.0.0.1');
    for (const end of [near, far]) {
      ends.add(end.setNoDelay(true));
      end.on('close', () => ends.delete(end));
    }
    near.on(
      'data',
      (bytes) => (passed.requests += bytes.toString('latin1').split(' HTTP/1.1\r\n').length - 1),
    );
    far.on('data', (bytes) => (passed.receivedBytes += bytes.length));
    // A broken end breaks the other, which is nobody's error.
    pipeline(near, up(), far, () => {});
    pipeline(far, down(), near, () => {});
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    for (const end of ends) end.destroy();
    listener.close();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, passed };
}

/** One direction of the line. What it returns passes the bytes of one connection on, late. */
function slowWay(bytesPerSecond: number, lateMs: number): () => Transform {
  let freeAtMs = 0;
  return () =>
    new Transform({
      async transform(bytes: Buffer, _encoding, done) {
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          const piece = bytes.subarray(at, at + PIECE_BYTES);
          freeAtMs = Math.max(freeAtMs, performance.now()) + (piece.length * 1_000) / bytesPerSecond;
          await sleep(freeAtMs - performance.now());
          setTimeout(() => this.push(piece), lateMs);
        }
        done();
      },
      // After all that is still on its way.
      flush: (done) => void setTimeout(done, lateMs),
    });
}
