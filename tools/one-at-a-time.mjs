import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './root.mjs';

const LOCK = join(ROOT, 'build/.lock');
/** A lock this young may not have its process id yet. */
const YOUNG_MS = 5_000;

/**
 * Runs `work` while no other process of this project does. A lock whose process is gone is removed.
 *
 * @template T
 * @param {() => T | Promise<T>} work
 */
export async function onlyOneAtATime(work) {
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  let hasSaidSo = false;
  while (!tryLock()) {
    if (isStale()) rmSync(LOCK, { force: true });
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

function tryLock() {
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
