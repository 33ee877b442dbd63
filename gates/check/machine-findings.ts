import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type postgres from 'postgres';
import type { Environment } from '../cli/command.ts';
import { isDiskFull } from '../cli/disk.ts';
import { formatEventTime } from '../events/event-time.ts';
import { ClockWatch, readClock } from '../http/clock-watch.ts';
import type { Target } from '../cli/target.ts';
import { type Finding, look, ok, stops } from './finding.ts';

const GB = 1e9;
/** A hanging board can retain 4 GB of the database's log. */
const DISK_BYTES = 6 * GB;

const run = promisify(execFile);
const ANSWER_LIMIT_MS = 5_000;

/** The embedded database has this machine's clock, so that only a person can tell whether it is right. */
export async function findClock(
  sql: postgres.Sql,
  { folder }: Pick<Target, 'folder'>,
  zone: string,
  env: Environment,
): Promise<Finding> {
  const clocks = new ClockWatch(() => {});
  await readClock(sql, clocks);
  const { warning } = clocks;
  if (warning !== undefined) return look('clock', `${warning}: "timedatectl" shows which`);
  // An event's time needs no seconds at a full minute; a telephone has them.
  const now = formatEventTime(new Date(), zone).padEnd('2026-11-29 09:41:00'.length, ':00');
  const time = `${now} (${zone}) by this machine's clock and the database's${folder === undefined ? '' : ', which is the same'}`;
  return (await isSetByNetwork(env))
    ? ok('clock', `${time}: compare it with a telephone`)
    : look(
        'clock',
        `${time}, and no time server sets it: "timedatectl set-ntp true", or compare it with a telephone`,
      );
}

/** Where nothing tells, it is taken to be. */
async function isSetByNetwork({ PATH }: Environment): Promise<boolean> {
  if (!PATH) return true;
  const asking = run('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
    env: { PATH },
    timeout: ANSWER_LIMIT_MS,
  });
  return asking.then(
    ({ stdout }) => stdout.trim() !== 'no',
    () => true,
  );
}

export async function findDisk({ folder }: Pick<Target, 'folder'>): Promise<Finding> {
  if (folder === undefined)
    return look(
      'disk',
      `that of the database is not seen from here: "df -h" there, ${DISK_BYTES / GB} GB free or more`,
    );
  const { bavail, bsize } = await statfs(folder);
  const bytes = bavail * bsize;
  const size = bytes < GB ? `${Math.floor(bytes / 1e6)} MB` : `${(bytes / GB).toFixed(1)} GB`;
  const free = `${size} free in ${folder}`;
  if (await isDiskFull(folder))
    return stops('disk', `${free}: PostgreSQL can write no more, or not for long; make room`);
  return bytes < DISK_BYTES
    ? look('disk', `${free}: make room, until ${DISK_BYTES / GB} GB are`)
    : ok('disk', free);
}
