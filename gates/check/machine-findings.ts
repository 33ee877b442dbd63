import { open, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import type { EventContents } from '../backup/backup-format.ts';
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

type TicketCounts = Pick<EventContents, 'tickets' | 'valid' | 'entered'>;

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

/** Looks for the newest backup of the event in the folder. `counts`: what the event has now. */
export async function findBackup(
  folder: string,
  { eventId, ...counts }: TicketCounts & { readonly eventId: string },
  nowMs: number,
): Promise<Finding> {
  const fix = `"backup ${join(folder, 'FILE.sql.gz')}"`;
  let names: string[];
  try {
    const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
    names = files.map(({ name }) => name).filter((name) => name.endsWith('.gz'));
  } catch (error) {
    const why = errorCode(error) === 'ENOENT' ? 'there is no such folder' : errorMessage(error);
    return look('backup', `none is found in ${folder}, as ${why}: ${fix}, or say where with --backups`);
  }
  let newest:
    | { readonly name: string; readonly takenAtMs: number; readonly counts: TicketCounts }
    | undefined;
  const unreadable: string[] = [];
  for (const name of names) {
    const found = await readBackup(join(folder, name), eventId).catch((error: unknown) => {
      unreadable.push(`${name} (${errorMessage(error)})`);
    });
    if (found && found.takenAtMs > (newest?.takenAtMs ?? -Infinity)) newest = { name, ...found };
  }
  const others = unreadable.length > 0 ? `; not readable: ${unreadable.join(', ')}` : '';
  if (!newest) return look('backup', `${folder} has none of this event: ${fix}${others}`);
  const hours = (nowMs - newest.takenAtMs) / HOUR_MS;
  const age = `${newest.name}, ${hours < 1 ? 'less than an hour' : `${Math.floor(hours)} h`} old${others}`;
  if (hours > BACKUP_HOURS) return look('backup', `the last is ${age}: ${fix}`);
  return isEarlier(newest.counts, counts)
    ? ok('backup', age)
    : look(
        'backup',
        `the last is ${age}, of ${describe(newest.counts)}; here are ${describe(counts)}: ${fix}`,
      );
}

/** Whether entries alone can have led from the one to the other. */
function isEarlier(one: TicketCounts, other: TicketCounts): boolean {
  return one.tickets === other.tickets && one.valid === other.valid && one.entered <= other.entered;
}

function describe({ tickets, valid, entered }: TicketCounts): string {
  return `${tickets} tickets, ${valid} valid, ${entered} entered`;
}

/** Returns undefined for a backup without this event. */
async function readBackup(
  path: string,
  eventId: string,
): Promise<{ readonly takenAtMs: number; readonly counts: TicketCounts } | undefined> {
  const file = await open(path);
  try {
    const { takenAt, events } = await readBackupContents(file);
    const counts = events.find(({ id }) => id === eventId);
    return counts && { takenAtMs: Date.parse(takenAt), counts };
  } finally {
    await file.close();
  }
}
