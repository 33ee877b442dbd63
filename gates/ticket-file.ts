import { createReadStream, fstat, open } from 'node:fs';
import { Socket } from 'node:net';
import { Transform, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { errorCode, errorMessage, GatesError } from './errors.ts';

/** UTF-8's byte order mark. The CSV parser would take it off, and decode the fields at that. */
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A file of tickets that was opened. */
export interface TicketFile {
  readonly path: string;
  /** To be destroyed by whoever has it, if it is not read to its end. */
  readonly bytes: Readable;
  /** How much of it has been read; undefined where nobody knows its length. */
  readPercent(): number | undefined;
}

/** `path`: a file, a pipe, or '-' for standard input. */
export async function openTicketFile(path: string): Promise<TicketFile> {
  if (path === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading standard input; Ctrl-D ends it.\n');
    return { path, bytes: process.stdin, readPercent: () => undefined };
  }
  try {
    const fd = await promisify(open)(path, 'r');
    const status = await promisify(fstat)(fd);
    if (status.isDirectory()) throw new Error('it is a folder');
    if (!status.isFile()) {
      // A read of a silent pipe, as of a file, could not be broken off.
      return {
        path,
        bytes: new Socket({ fd, readable: true, writable: false }),
        readPercent: () => undefined,
      };
    }
    const bytes = createReadStream(path, { fd });
    return { path, bytes, readPercent: () => Math.floor((100 * bytes.bytesRead) / status.size) };
  } catch (error) {
    throw unreadable(path, error);
  }
}

export function unreadable(path: string, error: unknown): GatesError {
  // A socket in the place of standard input cannot be opened by a name.
  const hint = errorCode(error) === 'ENXIO' ? ' "import -" reads standard input.' : '';
  return new GatesError(`${path} cannot be read: ${errorMessage(error)}.${hint}`);
}

/** Lets everything through but a byte order mark at the beginning. */
export function stripByteOrderMark(): Transform {
  let head: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (!head) {
        done(undefined, chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < MARK.length) {
        done();
        return;
      }
      const isMarked = head.subarray(0, MARK.length).equals(MARK);
      done(undefined, head.subarray(isMarked ? MARK.length : 0));
      head = undefined;
    },
    flush(done) {
      done(undefined, head);
    },
  });
}
