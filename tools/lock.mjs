import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './root.mjs';

const BUILD = join(ROOT, 'build');
/** A link to the ID of the process that installs or builds. Unlike a file, it is created together with its content. */
const LOCK = join(BUILD, 'pid.lock');
/** Error codes where account or disk do not allow a build. */
const CANNOT_WRITE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT']);

/** Nothing can be installed or built in this folder. */
export class CannotBuild extends Error {}

/**
 * Runs `work` while no other process installs or builds. A lock whose process is gone is removed.
 *
 * @template T
 * @param {() => T | Promise<T>} work
 * @throws {CannotBuild} where this process may not write, or the disk is full
 */
export async function withLock(work) {
  let hasLogged = false;
  while (!tryLock()) {
    if (!hasLogged) process.stderr.write('Another process is installing or building; waiting for it...\n');
    hasLogged = true;
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
    // With `recursive`, the error of a read-only disk would be that the folder is missing.
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
    // Other errors mean that there is no lock, or that its process is another account's.
    return error.code === 'ESRCH';
  }
}
