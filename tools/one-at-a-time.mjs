import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './root.mjs';

const LOCK = join(ROOT, 'build/.lock');
/** What the system says to an account, or a disk, that cannot build. */
const CANNOT_WRITE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT']);
/** A lock this young may not have its process id yet. */
const YOUNG_MS = 5_000;

/** Nothing can be installed or built in this folder. */
export class CannotBuild extends Error {}

/**
 * Runs `work` while no other process of this project does. A lock whose process is gone is removed.
 *
 * @template T
 * @param {() => T | Promise<T>} work
 * @throws {CannotBuild} where this process may not write, or has no room to
 */
export async function onlyOneAtATime(work) {
  let hasSaidSo = false;
  while (!orCannotBuild(tryLock)) {
    if (isStale()) orCannotBuild(() => rmSync(LOCK, { force: true }));
    else if (!hasSaidSo) {
      process.stderr.write('Another process is installing or building; waiting for it...\n');
      hasSaidSo = true;
    }
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function orCannotBuild(action) {
  try {
    return action();
  } catch (error) {
    if (!CANNOT_WRITE.has(error.code)) throw error;
    throw new CannotBuild(
      `${join(ROOT, 'build')} cannot be written here (${error.code}, as uid ${process.getuid?.()}). ` +
        `Run "npm ci" and "npm run build" in ${ROOT} as the account that owns it.`,
    );
  }
}

function tryLock() {
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isStale() {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    if (pid > 0) return !isAlive(pid);
    return Date.now() - statSync(LOCK).mtimeMs > YOUNG_MS;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
