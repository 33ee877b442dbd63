import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './root.mjs';

const BUILD = join(ROOT, 'build');
/** A link to the id of the process that installs or builds: unlike a file, it is there with its content or not at all. */
const LOCK = join(BUILD, 'pid.lock');
/** What the system says to an account, or a disk, that cannot build. */
const CANNOT_WRITE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT']);

/** Nothing can be installed or built in this folder. */
export class CannotBuild extends Error {}

/**
 * Runs `work` while no other process of this project does. A lock whose process is gone is removed.
 *
 * @template T
 * @param {() => T | Promise<T>} work
 * @throws {CannotBuild} where this process may not write, or has no room to
 */
export async function withLock(work) {
  let hasSaidSo = false;
  while (!tryLock()) {
    if (!hasSaidSo) process.stderr.write('Another process is installing or building; waiting for it...\n');
    hasSaidSo = true;
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function tryLock() {
  try {
    // With `recursive`, a read-only disk would be said to lack the folder.
    if (!existsSync(BUILD)) mkdirSync(BUILD);
    if (isStale()) rmSync(LOCK, { force: true });
    symlinkSync(String(process.pid), LOCK);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    if (!CANNOT_WRITE.has(error.code)) throw error;
    throw new CannotBuild(
      `${BUILD} cannot be written here (${error.code}, as uid ${process.getuid?.()}). ` +
        `Run "npm ci" and "npm run build" in ${ROOT} as the account that owns it.`,
    );
  }
}

function isStale() {
  try {
    process.kill(Number(readlinkSync(LOCK)), 0);
    return false;
  } catch (error) {
    // No such process. There may also be no lock, or one of another account's process.
    return error.code === 'ESRCH';
  }
}
