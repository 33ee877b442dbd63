import { statfs } from 'node:fs/promises';
import type postgres from 'postgres';
import { isDiskFull } from '../cli/disk.ts';
import { ClockWatch, readClock } from '../http/clock-watch.ts';
import type { Target } from '../cli/target.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const GB = 1e9;
/** A hanging board can retain 4 GB of the database's log. */
const DISK_BYTES = 6 * GB;

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
