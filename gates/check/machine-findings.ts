import { open, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { readBackupContents } from '../backup/backup-reader.ts';
import { isDiskFull } from '../cli/disk.ts';
import { errorCode, errorMessage } from '../cli/errors.ts';
import { ClockWatch, readClock } from '../http/clock-watch.ts';
import type { Target } from '../cli/target.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const GB = 1e9;
/** A hanging board can retain 4 GB of the database's log. */
const DISK_BYTES = 6 * GB;
const HOUR_MS = 3_600_000;
const BACKUP_HOURS = 24;

export async function findClock(sql: postgres.Sql): Promise<Finding> {
  const clocks = new ClockWatch(() => {});
  await readClock(sql, clocks);
  const { warning } = clocks;
  return warning === undefined
    ? ok('clock', "this machine's and the database's agree")
    : look('clock', `${warning}: "timedatectl" shows which`);
}

export async function findDisk({ folder }: Pick<Target, 'folder'>): Promise<Finding> {
  if (folder === undefined)
    return look(
      'disk',
      `that of the database is not seen from here: "df -h" there, ${DISK_BYTES / GB} GB free or more`,
    );
  const { bavail, bsize } = await statfs(folder);
  const free = `${((bavail * bsize) / GB).toFixed(1)} GB free in ${folder}`;
  if (await isDiskFull(folder)) return stops('disk', `${free}: nothing can be written; make room`);
  return bavail * bsize < DISK_BYTES
    ? look('disk', `${free}: make room, until ${DISK_BYTES / GB} GB are`)
    : ok('disk', free);
}

/** Looks for the newest backup of the event in the folder. */
export async function findBackup(folder: string, eventId: string, nowMs: number): Promise<Finding> {
  const fix = `"backup ${join(folder, 'FILE.sql.gz')}"`;
  let names: string[];
  try {
    const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
    names = files.map(({ name }) => name).filter((name) => name.endsWith('.gz'));
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'there is no such folder' : errorMessage(error);
    return look('backup', `none is found in ${folder}, as ${why}: ${fix}, or say where with --backups`);
  }
  let newest: { readonly name: string; readonly takenAtMs: number } | undefined;
  const unreadable: string[] = [];
  for (const name of names) {
    const takenAtMs = await readTakenAt(join(folder, name), eventId).catch((error: unknown) => {
      unreadable.push(`${name} (${errorMessage(error)})`);
    });
    if (takenAtMs !== undefined && takenAtMs > (newest?.takenAtMs ?? -Infinity)) newest = { name, takenAtMs };
  }
  const others = unreadable.length > 0 ? `; not readable: ${unreadable.join(', ')}` : '';
  if (!newest) return look('backup', `${folder} has none of this event: ${fix}${others}`);
  const hours = (nowMs - newest.takenAtMs) / HOUR_MS;
  const age = `${newest.name}, ${hours < 1 ? 'less than an hour' : `${Math.floor(hours)} h`} old${others}`;
  return hours > BACKUP_HOURS ? look('backup', `the last is ${age}: ${fix}`) : ok('backup', age);
}

/** Returns undefined for a backup without this event. */
async function readTakenAt(path: string, eventId: string): Promise<number | undefined> {
  const file = await open(path);
  try {
    const { takenAt, events } = await readBackupContents(file);
    return events.some(({ id }) => id === eventId) ? Date.parse(takenAt) : undefined;
  } finally {
    await file.close();
  }
}
