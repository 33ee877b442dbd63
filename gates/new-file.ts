import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorMessage, GatesError } from './errors.ts';

/**
 * Writes a file that is under its name whole, on the disk, and for its owner alone to read; or not at all, whoever
 * interrupts us. One that is there already is never replaced. Returns its size in bytes.
 *
 * @throws GatesError when the file cannot be written; whatever `write` throws.
 */
export async function writeNewFile(
  path: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<number> {
  const folder = dirname(resolve(path));
  const temporary = `${path}.${randomBytes(6).toString('hex')}.partial`;
  try {
    await assertAbsent(path);
    const forget = removeWhenInterrupted(temporary);
    try {
      const size = await writeWhole(temporary, write);
      await assertAbsent(path);
      await rename(temporary, path);
      await syncFolder(folder);
      return size;
    } finally {
      await rm(temporary, { force: true });
      forget();
    }
  } catch (error) {
    throw explain(error, path, folder);
  }
}

async function writeWhole(path: string, write: (file: FileHandle) => Promise<void>): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    await write(file);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function assertAbsent(path: string): Promise<void> {
  const there = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (there) throw new GatesError(`${path} is there already, and is not replaced: give another name.`);
}

/** A new name is only safe from a power cut once its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The signal then ends the process as if nobody had looked at it. */
function removeWhenInterrupted(path: string): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const end = (signal: NodeJS.Signals): void => {
    rmSync(path, { force: true });
    forget();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return forget;
}

/** Only what a file system says; a connection's failure stays as it is. */
function explain(error: unknown, path: string, folder: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new GatesError(
        `The disk of ${folder} is full: free some space, or name a file on another disk. ${path} was not written.`,
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new GatesError(
        `${path} cannot be written by this account (${errorMessage(error)}): name a file in a folder that it may write.`,
      );
    case 'ENOENT':
    case 'ENOTDIR':
      return new GatesError(`${path} cannot be written: there is no folder ${folder}.`);
    case 'ENAMETOOLONG':
    case 'EIO':
    case 'EFBIG':
      return new GatesError(`${path} cannot be written: ${errorMessage(error)}.`);
    default:
      return error;
  }
}
