import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode, errorMessage, GatesError, printable, stopped } from '../../cli/errors.ts';

const NAME = '.triagem-watch';
const HEARTBEAT_MS = 2_000;
/** A lock that was not touched for so long was left behind by a killed process or machine. */
const STALE_MS = 10_000;

/** Keeps other watchers from a folder, including those of other machines that share it over a network. */
export interface FolderLock {
  /** @throws GatesError where another watcher has taken the lock over, after a silence of ours. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** @throws GatesError where another process watches the folder, or where no file can be written there. */
export async function lockFolder(folder: string, stop: AbortSignal): Promise<FolderLock> {
  const path = join(folder, NAME);
  const content = JSON.stringify({ pid: process.pid, host: hostname(), token: randomUUID() });
  while (!(await tryCreate(path, content, folder))) await removeIfStale(path, folder, stop);
  // A network drive may be unavailable for a moment.
  const touch = (): void => void utimes(path, new Date(), new Date()).catch(() => {});
  const heartbeat = setInterval(touch, HEARTBEAT_MS).unref();
  const isHeld = async (): Promise<boolean> => (await readFile(path, 'utf8').catch(() => '')) === content;
  return {
    async assertHeld() {
      if (!(await isHeld()))
        throw new GatesError(`Another process watches ${folder} now, or ${path} was removed.`);
    },
    async release() {
      clearInterval(heartbeat);
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

async function tryCreate(path: string, content: string, folder: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(content);
    await file.close();
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw new GatesError(
      `${printable(folder)} cannot be watched: ${errorMessage(error)}. It must be a folder that this account may write.`,
    );
  }
}

/** @throws GatesError where its owner is alive. */
async function removeIfStale(path: string, folder: string, stop: AbortSignal): Promise<void> {
  const touchedAt = async (): Promise<number | undefined> =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
  const owner = await readFile(path, 'utf8').catch(() => '');
  const before = await touchedAt();
  if (before === undefined) return;
  // The clocks of two machines need not agree, so only a change of the time counts.
  const deadlineMs = performance.now() + (isDead(owner) ? 0 : STALE_MS);
  while (performance.now() < deadlineMs) {
    await pause(HEARTBEAT_MS / 4, undefined, { signal: stop }).catch(() => {
      throw stopped();
    });
    if ((await touchedAt()) === before) continue;
    throw new GatesError(
      `${describeOwner(owner)} watches ${printable(folder)} already: stop that first, or let it go on.`,
    );
  }
  await rm(path, { force: true });
}

/** 'Process 4711 of the machine catraca1'. */
function describeOwner(owner: string): string {
  try {
    const { pid, host } = JSON.parse(owner) as { pid: number; host: string };
    return printable(`Process ${pid} of ${host === hostname() ? 'this machine' : `the machine ${host}`}`);
  } catch {
    return 'Another process';
  }
}

/** Returns true only for processes of this machine that have ended. */
function isDead(owner: string): boolean {
  try {
    const { pid, host } = JSON.parse(owner) as { pid: number; host: string };
    if (host !== hostname()) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}
