import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOwnedFile } from './data-folder.ts';
import { processIdentity } from './process-identity.ts';
import { DatabaseSetupError, errorCode } from './setup-error.ts';

/** One process of ours at a time works in a data folder. */
export interface FolderLock {
  /** Lets a second instance say on which port the first one is. */
  setPort(port: number): Promise<void>;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly identity: string | undefined;
  readonly port: number | undefined;
}

/** @throws DatabaseSetupError when a living process holds the folder. A dead one's lock is taken over. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock.json');
  const own: Holder = { pid: process.pid, identity: processIdentity(process.pid), port: undefined };
  // A file linked into place is there with its content, or not at all: no one ever reads half a lock.
  const mine = `${path}.${randomBytes(6).toString('hex')}`;
  await writeOwnedFile(mine, JSON.stringify(own), 0o644);
  try {
    for (;;) {
      if (await tryLink(mine, path)) break;
      const text = await readFile(path, 'utf8').catch(absent);
      if (text === undefined) continue;
      const holder = parse(text);
      if (holder && isAlive(holder)) throw held(folder, holder);
      await takeAway(path, text, folder);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return {
    setPort: (port) => writeOwnedFile(path, JSON.stringify({ ...own, port }), 0o644),
    release: () => rm(path, { force: true }),
  };
}

/** Two processes may find the same stale lock: the one that comes late must not remove the other's fresh one. */
async function takeAway(path: string, stale: string, folder: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const text = await readFile(aside, 'utf8');
  const fresh = text === stale ? undefined : parse(text);
  if (fresh) await tryLink(aside, path);
  await rm(aside, { force: true });
  if (fresh) throw held(folder, fresh);
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(holder: Holder): boolean {
  const identity = processIdentity(holder.pid);
  return identity !== undefined && identity === holder.identity;
}

function parse(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value)) return undefined;
    const { pid, identity, port } = value as Record<string, unknown>;
    return {
      pid: Number(pid),
      identity: typeof identity === 'string' ? identity : undefined,
      port: typeof port === 'number' ? port : undefined,
    };
  } catch {
    return undefined;
  }
}

function absent(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}

function held(folder: string, holder: Holder): DatabaseSetupError {
  const port = holder.port === undefined ? '' : `, its PostgreSQL on port ${holder.port}`;
  return new DatabaseSetupError(
    `The data folder ${folder} is in use by process ${holder.pid}${port}.`,
    'Stop that process first, or set DATA_DIR (and EMBEDDED_DATABASE_PORT) to others for this one.',
  );
}
