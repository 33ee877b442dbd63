import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { MAX_BODIES_BYTES } from './limits.ts';
import { Refusal, unavailable } from './refusal.ts';

/** Counts the bytes of all bodies whose requests have not been answered. */
let heldBytes = 0;

/**
 * Passes each chunk of a body to `take`, which may throw a Refusal. Resolves at its end with `release`, until whose call
 * the bytes count as held.
 *
 * @throws `tooLarge` of a body that is larger than `maxBytes`; Refusal of one that breaks off, and while too many bytes
 * are held.
 */
export function receiveBytes(
  stream: Readable,
  headers: IncomingHttpHeaders,
  maxBytes: number,
  take: (chunk: Buffer) => void,
  tooLarge: () => Error = () => new Refusal(413, `A body is ${maxBytes} bytes at most: send several.`),
): Promise<() => void> {
  let bytes = 0;
  const release = (): void => {
    heldBytes -= bytes;
    bytes = 0;
  };
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      stream.removeAllListeners('data').pause();
      release();
      reject(error);
    };
    if (Number(headers['content-length'] ?? 0) > maxBytes) {
      fail(tooLarge());
      return;
    }
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      heldBytes += chunk.length;
      try {
        if (bytes > maxBytes) throw tooLarge();
        if (heldBytes > MAX_BODIES_BYTES) throw unavailable('Too much is waiting to be written.');
        take(chunk);
      } catch (error) {
        fail(error);
      }
    });
    // The client has gone, or was too slow: nobody reads the answer.
    stream.once('error', () => fail(new Refusal(400, 'The body breaks off.')));
    stream.once('end', () => resolve(release));
  });
}
