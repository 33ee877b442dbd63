import { type BigIntStats, createReadStream, fstat, open } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { errorCode, errorMessage, GatesError, TryAgainError } from '../../cli/errors.ts';

/** A file of tickets that was opened. */
export interface TicketFile {
  readonly path: string;
  /** To be destroyed by whoever has it, if it is not read to its end. */
  readonly bytes: Readable;
  /** What it looked like when it was opened; undefined: it is no file. */
  readonly look: string | undefined;
  /** How much of it has been read; undefined where nobody knows its length. */
  readPercent(): number | undefined;
  /** @throws TryAgainError where it was written to since it was opened. */
  assertUnchanged(): Promise<void>;
}

const UNKNOWN_LENGTH = { look: undefined, readPercent: () => undefined, assertUnchanged: async () => {} };

/** `path`: a file, a pipe, or '-' for standard input. */
export async function openTicketFile(path: string): Promise<TicketFile> {
  if (path === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading standard input; Ctrl-D ends it.\n');
    return { path, bytes: process.stdin, ...UNKNOWN_LENGTH };
  }
  try {
    const fd = await promisify(open)(path, 'r');
    const status = await promisify<number, { bigint: true }, BigIntStats>(fstat)(fd, { bigint: true });
    if (status.isDirectory()) throw new Error('it is a folder');
    if (!status.isFile()) {
      // A read of a silent pipe, as of a file, could not be broken off.
      return { path, bytes: new Socket({ fd, readable: true, writable: false }), ...UNKNOWN_LENGTH };
    }
    const bytes = createReadStream(path, { fd });
    const size = Number(status.size);
    const look = describeLook(status);
    return {
      path,
      bytes,
      look,
      readPercent: () => Math.floor((100 * bytes.bytesRead) / size),
      assertUnchanged: async () => {
        const now = await stat(path, { bigint: true }).catch((error: unknown) => {
          throw unreadable(path, error);
        });
        if (describeLook(now) === look) return;
        throw new TryAgainError(`${path} was written to while it was read: try again when it is whole.`);
      },
    };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Undefined while there is no such file. */
export async function lookOf(path: string): Promise<string | undefined> {
  return lstat(path, { bigint: true }).then(describeLook, (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
}

/** A file that was replaced, or written to, looks otherwise than before. */
export function describeLook({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs}`;
}

export function unreadable(path: string, error: unknown): GatesError {
  const code = errorCode(error) ?? '';
  // A socket in the place of standard input cannot be opened by a name.
  const hint = code === 'ENXIO' ? ' "import -" reads standard input.' : '';
  const message = `${path} cannot be read: ${errorMessage(error)}.${hint}`;
  return IS_AWAY.test(code) ? new TryAgainError(message) : new GatesError(message);
}

/** What a network drive says while it is away, or while another program keeps the file to itself. */
const IS_AWAY = /^(ESTALE|ETIMEDOUT|EHOST|ENET|ECONN|ENOTCONN|EBUSY|ETXTBSY|EAGAIN|EMFILE|ENFILE)/;
