import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import { type BackupContents, type EventContents, isOfRecord } from '../backup/backup-format.ts';
import { checkBackup, readBackupContents } from '../backup/backup-reader.ts';
import { errorCode, errorMessage, stopped } from '../cli/errors.ts';
import { describeTickets } from '../events/code-counts.ts';
import { type Finding, look, ok } from './finding.ts';

const HOUR_MS = 3_600_000;
const BACKUP_HOURS = 24;
const NO_FOLDER = 'there is no such folder';
const NO_DIRECTORY = 'that is a file';

type TicketCounts = Pick<EventContents, 'tickets' | 'valid' | 'entered' | 'simulated'>;

/** A backup of the event. */
interface EventBackup extends TicketCounts {
  readonly name: string;
  readonly path: string;
  readonly takenAt: string;
  readonly hasRecord: boolean;
  /** Whether it has all events: it is restored only where none has tickets. */
  readonly isOfAll: boolean;
}

/** What the event has now. */
interface EventNow extends TicketCounts {
  readonly eventId: string;
  /** Whether a board shows it: `event delete` refuses then. */
  readonly isShown: boolean;
  readonly doOthersHaveTickets: boolean;
  readonly written: Written | undefined;
  readonly isRecordKept: boolean;
  /** Whether a connection brings the tickets: fewer are fewer at the source, and none come back from a backup. */
  readonly isConnected: boolean;
}

/** The backups of an event in a folder. */
export interface EventBackups {
  readonly folder: string;
  readonly newest: EventBackup | undefined;
  /** Why the newest one cannot be restored. */
  readonly fault: string | undefined;
  /** Why the file that was written last cannot be restored, where that is another one: what it says of itself may be wrong. */
  readonly faultOfLastWritten: string | undefined;
  /** The newest one that has real tickets and can be restored. */
  readonly newestWithTickets: EventBackup | undefined;
  /** The command that brings its tickets back, and that of an older one with more. */
  readonly restoreCommand: string;
  /** Each with the reason. */
  readonly unreadable: readonly string[];
  /** Why the folder cannot be read. */
  readonly problem: string | undefined;
}

/** Of each backup the beginning is read, and all of those that are named as the newest, and of the one written last. */
export async function readBackups(folder: string, eventId: string, stop: AbortSignal): Promise<EventBackups> {
  const unreadable: string[] = [];
  const backups: EventBackup[] = [];
  let lastWritten: { readonly path: string; readonly mtimeMs: number } | undefined;
  let problem: string | undefined;
  try {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const { name } = entry;
      if (!entry.isFile() || !name.endsWith('.gz')) continue;
      const path = join(folder, name);
      try {
        const found = await readCounts(path, eventId);
        const { mtimeMs } = await stat(path);
        if (!lastWritten || mtimeMs > lastWritten.mtimeMs) lastWritten = { path, mtimeMs };
        if (found) backups.push({ ...found, name, path });
      } catch (error) {
        unreadable.push(`${name} (${errorMessage(error)})`);
      }
    }
  } catch (error) {
    const problems: Readonly<Record<string, string>> = { ENOENT: NO_FOLDER, ENOTDIR: NO_DIRECTORY };
    problem = problems[errorCode(error) ?? ''] ?? errorMessage(error);
  }
  const byTime = backups.toSorted((a, b) => Date.parse(b.takenAt) - Date.parse(a.takenAt));
  const [newest] = byTime;
  const fault = newest && (await faultOf(newest, stop));
  const faultOfLastWritten =
    lastWritten && lastWritten.path !== newest?.path ? await faultOf(lastWritten, stop) : undefined;
  let newestWithTickets: EventBackup | undefined;
  // Simulated ones, as of a demo, are nobody's.
  const withTickets = byTime.filter(({ tickets, simulated = 0 }) => tickets > simulated);
  for (const one of withTickets) {
    if ((one === newest ? fault : await faultOf(one, stop)) !== undefined) continue;
    newestWithTickets = one;
    break;
  }
  let restoreCommand = newestWithTickets ? `"restore ${newestWithTickets.path}"` : '';
  // What `event delete` wrote after a loss is newer than the backup that it makes way for.
  const older = newestWithTickets ? withTickets.slice(withTickets.indexOf(newestWithTickets) + 1) : [];
  const [fullest] = older.toSorted((a, b) => b.entered - a.entered);
  if (fullest && fullest.entered > (newestWithTickets?.entered ?? 0))
    restoreCommand += `, or "restore ${fullest.path}", which is older and has more (${describe(fullest)}), if those were lost`;
  return {
    folder,
    newest,
    fault,
    faultOfLastWritten,
    newestWithTickets,
    restoreCommand,
    unreadable,
    problem,
  };
}

/** Returns undefined for a backup without this event. */
async function readCounts(
  path: string,
  eventId: string,
): Promise<Omit<EventBackup, 'name' | 'path'> | undefined> {
  const { takenAt, events, tables, onlyEvent } = await reading(path, readBackupContents);
  const counts = events.find(({ id }) => id === eventId);
  return (
    counts && {
      ...counts,
      takenAt,
      hasRecord: tables.some(isOfRecord),
      isOfAll: onlyEvent === undefined,
    }
  );
}

/** Returns why a backup cannot be restored; undefined where it can. */
async function faultOf({ path }: Pick<EventBackup, 'path'>, stop: AbortSignal): Promise<string | undefined> {
  const fault = await reading(path, (file) => checkBackup(path, file, stop)).then(
    () => undefined,
    errorMessage,
  );
  if (stop.aborted) throw stopped();
  return fault;
}

async function reading(
  path: string,
  read: (file: FileHandle) => Promise<BackupContents>,
): Promise<BackupContents> {
  const file = await open(path);
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

/** What of an event was written after a backup. */
export interface Written {
  readonly what: readonly string[];
  /** Whether each of its tickets was. */
  readonly allTickets: boolean;
}

/** Goes by the database's commit times. Returns undefined where it keeps none. What was deleted is not found. */
export async function writtenSince(
  sql: postgres.Sql,
  eventId: string,
  { takenAt }: Pick<EventBackup, 'takenAt'>,
): Promise<Written | undefined> {
  const [setting] = await sql<{ isKept: boolean }[]>`
    select current_setting('track_commit_timestamp')::boolean as "isKept"`;
  if (setting?.isKept !== true) return undefined;
  const rows = await sql<{ what: string; all: boolean }[]>`
    select what, bool_and(is_since) as all from (
      select 'tickets' as what, xmin from public.tickets where event_id = ${eventId}
      union all select 'sector documents', xmin from public.sectors where event_id = ${eventId}
      union all select 'title or times', xmin from public.event_details where event_id = ${eventId}
      union all select 'kept readings', xmin from public.kept_readings where event_id = ${eventId}
      union all select 'times of messages', xmin from public.ticket_times where event_id = ${eventId}
    ) written, lateral (
      select coalesce(date_trunc('milliseconds', pg_xact_commit_timestamp(xmin)) > ${takenAt}::text::timestamptz, false)
        as is_since) at
    group by what having bool_or(is_since)
    order by array_position(array['tickets', 'sector documents', 'title or times', 'kept readings'], what)`;
  return {
    what: rows.map(({ what }) => what),
    allTickets: rows.some(({ what, all }) => what === 'tickets' && all),
  };
}

export function findBackup(backups: EventBackups, now: EventNow, nowMs: number): Finding {
  const found = findNewest(backups, now, nowMs);
  const { faultOfLastWritten, unreadable } = backups;
  const others = [
    ...(faultOfLastWritten === undefined ? [] : [`${faultOfLastWritten} Remove it, or write another`]),
    ...(unreadable.length === 0 ? [] : [`Not readable: ${unreadable.join(', ')}`]),
  ];
  return others.length === 0 ? found : look('backup', [found.text, ...others].join('. '));
}

function findNewest(
  { folder, newest, fault, newestWithTickets, restoreCommand, problem }: EventBackups,
  { written, isRecordKept, isConnected, eventId, isShown, doOthersHaveTickets, ...counts }: EventNow,
  nowMs: number,
): Finding {
  const age = ({ name, takenAt }: EventBackup): string => {
    const hours = (nowMs - Date.parse(takenAt)) / HOUR_MS;
    return `${name}, ${hours < 1 ? 'less than an hour' : `${Math.floor(hours)} h`} old`;
  };
  if (counts.tickets === 0 && newestWithTickets && !isConnected) {
    return look(
      'backup',
      `the last with tickets is ${age(newestWithTickets)}, of ${describe(newestWithTickets)}, and here are none: ` +
        `${restoreCommand}, before another is written`,
    );
  }
  const command = `"backup ${join(folder, 'FILE.sql.gz')}"`;
  const hasFewer =
    newestWithTickets &&
    (newestWithTickets.tickets > counts.tickets || newestWithTickets.entered > counts.entered);
  const isNew = newestWithTickets === newest && written?.allTickets === true;
  if (newestWithTickets && !isConnected && (hasFewer || (isNew && newestWithTickets.entered > 0))) {
    const way = wayBack(newestWithTickets, {
      eventId,
      isShown,
      doOthersHaveTickets,
      entered: counts.entered,
    });
    const last = `the last is ${age(newestWithTickets)}, of ${describe(newestWithTickets)}`;
    return look(
      'backup',
      hasFewer
        ? `${last}, and here are fewer: ${describe(counts)}. ` +
            `If these were lost, ${way}; only if they were taken back on purpose, or people have left ("revert", "simulate --remove", readings of exits), ${command}`
        : `${last}, and all that are here were written since: ${describe(counts)}. ` +
            `If they were imported anew after a loss, ${way}; if not, as after "restore", ${command}`,
    );
  }
  const fix = counts.tickets === 0 ? `${command}, once the tickets are here` : command;
  if (problem === NO_DIRECTORY)
    return look('backup', `${folder} is a file: name the folder that it lies in with --backups`);
  if (problem !== undefined) {
    const first =
      problem === NO_FOLDER
        ? `"mkdir -p ${folder}" (where only root may: docs/match-day.md, "Backup"), then `
        : '';
    return look(
      'backup',
      `none is found in ${folder}, as ${problem}: ${first}${fix}, or say where with --backups`,
    );
  }
  if (!newest) return look('backup', `${folder} has none of this event: ${fix}`);
  if (fault !== undefined) return look('backup', `${fault} Write another: ${fix}`);
  const isOld = nowMs - Date.parse(newest.takenAt) > BACKUP_HOURS * HOUR_MS;
  if (isOld || counts.tickets === 0) return look('backup', `the last is ${age(newest)}: ${fix}`);
  if (describe(newest) !== describe(counts)) {
    return look(
      'backup',
      `the last is ${age(newest)}, of ${describe(newest)}; here are ${describe(counts)}: ${fix}`,
    );
  }
  if (written !== undefined && written.what.length > 0)
    return look(
      'backup',
      `the last is ${age(newest)}; since then ${written.what.join(', ')} were written, or restored: ${fix}`,
    );
  if (isRecordKept && !newest.hasRecord)
    return look(
      'backup',
      `the last is ${age(newest)}, without the record of the desk: ${command} without --only tickets`,
    );
  const compared =
    written === undefined
      ? 'whether sectors, title or times were written since is not known (track_commit_timestamp is off)'
      : "nothing that is here was written since, the desk's record aside";
  return ok('backup', `${age(newest)}, whole, with as many as here (${describe(counts)}); ${compared}`);
}

/** Names what puts the tickets of the backup in the place of those that the event has now. */
function wayBack(
  { path, isOfAll, hasRecord }: EventBackup,
  {
    eventId,
    isShown,
    doOthersHaveTickets,
    entered,
  }: Pick<EventNow, 'eventId' | 'isShown' | 'doOthersHaveTickets' | 'entered'>,
): string {
  const isElsewhere = isOfAll && doOthersHaveTickets;
  const record = hasRecord ? ' (with --only tickets where the event has another log here)' : '';
  return [
    ...(entered > 0
      ? [`write down who entered since, as nobody sends them again (docs/trouble.md, "Restore")`]
      : []),
    ...(isElsewhere
      ? [
          `"restore ${path} --only tickets" in a database without tickets, as other events have some here`,
          `"backup FILE --event ${eventId} --only tickets" there`,
        ]
      : []),
    ...(isShown ? ['start the board here with another EVENT_ID'] : []),
    `"event delete --event ${eventId}", which writes what is here into a file of its own`,
    isElsewhere ? '"restore FILE" here' : `"restore ${path}"${record}`,
    ...(isShown ? ['start the board as before'] : []),
    ...(entered > 0 ? ['let those in again ("enter --id")'] : []),
  ].join(', then ');
}

function describe({ tickets, valid, entered, simulated = 0 }: TicketCounts): string {
  const of = simulated > 0 ? `, ${simulated} of them simulated` : '';
  return `${describeTickets(tickets)}, ${valid} valid, ${entered} entered${of}`;
}
