import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, errorMessage, GatesError, printable } from './errors.ts';

/**
 * Writes a file that appears under its name whole, synced, and readable by its owner only; or not at all. It never replaces
 * an existing file. Returns the size in bytes.
 *
 * @throws GatesError when the file cannot be written, and what `write` throws.
 */
export async function writeNewFile(
  path: string,
  write: (append: (chunk: Buffer) => Promise<void>) => Promise<void>,
): Promise<number> {
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw explain(error, path);
    }
  };
  const temporary = `${path}.${randomBytes(6).toString('hex')}.partial`;
  await assertAbsent(path);
  const file = await explained(() => open(temporary, 'wx', 0o600));
  try {
    let size: number;
    try {
      await write((chunk) => explained(() => file.writeFile(chunk)));
      size = await explained(() => sizeOnDisk(file));
    } finally {
      await file.close();
    }
    await explained(async () => {
      await assertAbsent(path);
      await rename(temporary, path);
      await syncFolder(dirname(path));
    });
    return size;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** @throws GatesError where the file is there. */
export async function assertAbsent(path: string): Promise<void> {
  const there = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw explain(error, path);
  });
  if (there)
    throw new GatesError(`${printable(path)} is there already, and is not replaced: give another name.`);
}

async function sizeOnDisk(file: FileHandle): Promise<number> {
  await file.sync();
  return (await file.stat()).size;
}

/** A new name survives a power cut only once its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function explain(error: unknown, path: string): GatesError {
  if (error instanceof GatesError) return error;
  const folder = dirname(path);
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new GatesError(
        `The disk of ${folder} is full: free some space, or name a file on another disk.`,
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
    default:
      return new GatesError(`${path} cannot be written: ${errorMessage(error)}.`);
  }
}
