import { open, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** PostgreSQL allocates its log in files of 16 MB, and stops where not even one fits. */
const FULL_BELOW_BYTES = 32 * 2 ** 20;
const TAIL_BYTES = 65_536;

/**
 * Whether the disk of an embedded database is full, or was while this process ran. A server that stops on a full disk frees
 * uncommitted space, and may not report the cause.
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
  for (const name of await readdir(logFolder)) {
    const path = join(logFolder, name);
    const { mtimeMs, size } = await stat(path);
    if (mtimeMs < startedAtMs) continue;
    const log = await open(path);
    try {
      const position = Math.max(0, size - TAIL_BYTES);
      const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(TAIL_BYTES), position });
      const lines = buffer.subarray(0, bytesRead).toString().split('\n');
      if (lines.some((line) => reportsFullDisk(line, startedAtMs))) return true;
    } finally {
      await log.close();
    }
  }
  return false;
}

function reportsFullDisk(line: string, startedAtMs: number): boolean {
  const [, time] = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) UTC .*No space left on device/.exec(line) ?? [];
  return time !== undefined && Date.parse(`${time.replace(' ', 'T')}Z`) >= startedAtMs;
}
