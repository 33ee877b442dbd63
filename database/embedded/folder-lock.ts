import { createHash, randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeOwnedFile } from './data-folder.ts';
import { processIdentity } from './process-identity.ts';
import { DatabaseSetupError, errorCode } from '../setup-error.ts';

const CLAIM_WAIT_MS = 20;

/** Locks a data folder for one process. */
export interface FolderLock {
  /** Notes the port, which a second instance reports. */
  setPort(port: number): Promise<void>;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly identity: string | undefined;
  readonly port: number | undefined;
}

/** Takes over the lock of a dead process. @throws DatabaseSetupError: a living process holds the folder */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock.json');
  const own: Holder = { pid: process.pid, identity: processIdentity(process.pid), port: undefined };
  // A file that is linked into place appears with its content: no process reads half a lock.
  const mine = `${path}.${randomBytes(6).toString('hex')}`;
  await writeOwnedFile(mine, JSON.stringify(own), 0o644);
  try {
    while (!(await tryLink(mine, path))) {
      const text = await readFile(path, 'utf8').catch(absent);
      if (text === undefined) continue;
      const holder = parse(text);
      if (holder && isAlive(holder)) throw held(folder, holder);
      await removeStale(path, text, mine);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return {
    setPort: (port) => writeOwnedFile(path, JSON.stringify({ ...own, port }), 0o644),
    release: () => rm(path, { force: true }),
  };
}

/**
 * Of the processes that find the same stale lock, one gets the claim to remove it; a late claim finds another lock in its
 * place, and leaves that alone.
 */
async function removeStale(path: string, stale: string, mine: string): Promise<void> {
  const claim = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 12)}.claim`;
  if (!(await tryLink(mine, claim))) {
    const claimant = parse((await readFile(claim, 'utf8').catch(absent)) ?? '');
    if (claimant && !isAlive(claimant)) await rm(claim, { force: true });
    await sleep(CLAIM_WAIT_MS);
    return;
  }
  try {
    if ((await readFile(path, 'utf8').catch(absent)) === stale) await rm(path, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
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
