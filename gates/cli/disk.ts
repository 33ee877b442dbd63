import { open, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** PostgreSQL allocates its log in files of 16 MB, and stops where not even one fits. */
const FULL_BELOW_BYTES = 32 * 2 ** 20;
const TAIL_BYTES = 65_536;

const FULL = /No space left on device/;
/** It was stopped, or runs again: a disk that was full before is not what it stopped on. */
const NOT_STOPPED_BY_IT =
  / LOG: {2}(?:received \w+ shutdown request|database system is ready to accept connections)$/;
const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3}) UTC /;

/**
 * Whether the disk of an embedded database is full, or the server has stopped on one that was full while this process ran:
 * it frees uncommitted space as it stops, and may not report the cause.
 */
export async function isDiskFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < FULL_BELOW_BYTES) return true;
    return await hasLoggedFullDisk(join(folder, 'cluster', 'log'));
  } catch {
    return false;
  }
}

async function hasLoggedFullDisk(logFolder: string): Promise<boolean> {
  const startedAtMs = Date.now() - process.uptime() * 1_000;
  let fullAtMs = startedAtMs;
  let otherAtMs = startedAtMs;
  for (const name of await readdir(logFolder)) {
    const path = join(logFolder, name);
    const { mtimeMs, size } = await stat(path);
    if (mtimeMs < startedAtMs) continue;
    const log = await open(path);
    try {
      const position = Math.max(0, size - TAIL_BYTES);
      const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(TAIL_BYTES), position });
      for (const line of buffer.subarray(0, bytesRead).toString().split('\n')) {
        if (FULL.test(line)) fullAtMs = Math.max(fullAtMs, timeOf(line));
        else if (NOT_STOPPED_BY_IT.test(line)) otherAtMs = Math.max(otherAtMs, timeOf(line));
      }
    } finally {
      await log.close();
    }
  }
  return fullAtMs > otherAtMs;
}

function timeOf(line: string): number {
  const [, date, time] = TIME.exec(line) ?? [];
  return time === undefined ? 0 : Date.parse(`${date}T${time}Z`);
}
