import { type BigIntStats, createReadStream, fstat, open } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Environment } from '../../cli/command.ts';
import { errorCode, errorMessage, GatesError, TryAgainError } from '../../cli/errors.ts';
import { userPath } from '../../cli/user-path.ts';

/** An open file of tickets. */
export interface TicketFile {
  readonly path: string;
  /** The owner destroys it, if it is not read to its end. */
  readonly bytes: Readable;
  /** The fingerprint at opening; undefined for a pipe. */
  readonly fingerprint: string | undefined;
  /** How much has been read; undefined for a pipe. */
  readPercent(): number | undefined;
  /** @throws TryAgainError where the file was written to since it was opened. */
  assertUnchanged(): Promise<void>;
}

const UNKNOWN_LENGTH = {
  fingerprint: undefined,
  readPercent: () => undefined,
  assertUnchanged: async () => {},
};

/** `named` is a file or a pipe, or '-' for standard input. */
export async function openTicketFile(named: string, env: Environment): Promise<TicketFile> {
  if (named === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading standard input; Ctrl-D ends it.\n');
    return { path: named, bytes: process.stdin, ...UNKNOWN_LENGTH };
  }
  const path = userPath(named, env);
  try {
    const fd = await promisify(open)(path, 'r');
    const status = await promisify<number, { bigint: true }, BigIntStats>(fstat)(fd, { bigint: true });
    if (status.isDirectory()) throw new Error('it is a folder');
    if (!status.isFile()) {
      // A pipe that is read as a file could not be interrupted while it is silent.
      return { path, bytes: new Socket({ fd, readable: true, writable: false }), ...UNKNOWN_LENGTH };
    }
    const bytes = createReadStream(path, { fd });
    const size = Number(status.size);
    const fingerprint = fingerprintOf(status);
    return {
      path,
      bytes,
      fingerprint,
      readPercent: () => Math.floor((100 * bytes.bytesRead) / size),
      assertUnchanged: async () => {
        const now = await stat(path, { bigint: true }).catch((error: unknown) => {
          throw unreadable(path, error);
        });
        if (fingerprintOf(now) === fingerprint) return;
        throw new TryAgainError(`${path} was written to while it was read: try again when it is whole.`);
      },
    };
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Returns undefined where there is no such file. */
export async function readFingerprint(path: string): Promise<string | undefined> {
  return lstat(path, { bigint: true }).then(fingerprintOf, (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
}

/** The fingerprint of a file changes when it is replaced or written to, also where its former time is set again; and when it is moved. */
export function fingerprintOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** The part of a fingerprint that stays when the file is moved. */
export function withoutChangeTime(fingerprint: string | undefined): string | undefined {
  return fingerprint?.replace(/ \d+$/, '');
}

export function unreadable(path: string, error: unknown): GatesError {
  const code = errorCode(error) ?? '';
  // A socket as standard input cannot be opened by a name.
  const hint = code === 'ENXIO' ? ' "import -" reads standard input.' : '';
  const message = `${path} cannot be read: ${errorMessage(error)}.${hint}`;
  return UNAVAILABLE.test(code) ? new TryAgainError(message) : new GatesError(message);
}

/** Error codes of an unavailable network drive, and of a file that another program has locked. */
const UNAVAILABLE = /^(ESTALE|ETIMEDOUT|EHOST|ENET|ECONN|ENOTCONN|EBUSY|ETXTBSY|EAGAIN|EMFILE|ENFILE)/;
