import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../benchmark.ts';

/** A slow line to a server. All connections share its rate, both ways. */
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

/** 10 Mbit/s. */
const BYTES_PER_SECOND = 10_000_000 / 8;
/** Each way, of a round trip of 40 ms. */
const LATE_MS = 20;
const PIECE_BYTES = 4_096;

/** A connection is made at once: only what is sent on it is late. */
export async function openSlowLink({ stops }: Scope, serverUrl: string): Promise<SlowLink> {
  const passed = { requests: 0, receivedBytes: 0 };
  const ends = new Set<Socket>();
  const [up, down] = [slowWay(), slowWay()];
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
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  stops.push(() => {
    for (const end of ends) end.destroy();
    listener.close();
  });
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, passed };
}

/** One direction of the line. What it returns passes the bytes of one connection on, late. */
function slowWay(): () => Transform {
  let freeAtMs = 0;
  return () =>
    new Transform({
      async transform(bytes: Buffer, _encoding, done) {
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          const piece = bytes.subarray(at, at + PIECE_BYTES);
          freeAtMs = Math.max(freeAtMs, performance.now()) + (piece.length * 1_000) / BYTES_PER_SECOND;
          await sleep(freeAtMs - performance.now());
          setTimeout(() => this.push(piece), LATE_MS);
        }
        done();
      },
      // After all that is still on its way.
      flush: (done) => void setTimeout(done, LATE_MS),
    });
}
