import { type FileHandle, open } from 'node:fs/promises';
import type postgres from 'postgres';
import { describeContents, prepareForTables } from './backup-contents.ts';
import { RESTORE_MARK } from '../../domain/restore-mark.ts';
import { type BackupContents, isOfRecord, type TableContents } from './backup-format.ts';
import { checkBackup, readBackup, skipRows } from './backup-reader.ts';
import { readArguments, type Command } from '../cli/command.ts';
import { errorMessage, GatesError, printable, UsageError } from '../cli/errors.ts';
import { nameOf, reportBoards } from '../events/event.ts';
import { findRecord } from './record-beside.ts';
import { insertRecord } from './restore-record.ts';
import {
  insertRows,
  assertRestored,
  reserveTickets,
  assertColumnsExist,
  assertNoTickets,
  forgetDeletedTickets,
} from './restore-tables.ts';
import { withSession } from '../cli/session.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { findTarget, type Target } from '../cli/target.ts';
import { userPath } from '../cli/user-path.ts';

export const restore: Command = {
  help: `Usage: npm run -s gates -- restore FILE [--check | --only tickets | --only record]

Writes the events, their titles and times, sectors and tickets of a backup into a database that has no ticket, and the
record of the flow desk where the event has no log yet; the board may run. The file is read whole first, and its contents
are printed: one that is cut off, altered, or not from "backup" is refused. So is a database with tickets, and a log that is
another one than that of the file. Events, sectors, and what is recorded already stay as they are.

What "event delete" and "backup --event" have written, of one event, is restored beside others, where that event has no
ticket; gates of the others go on meanwhile.

  --check         only read the file, and print its contents
  --only tickets  without the record
  --only record   the record alone: tickets may be there

The record is written by the role of RECORD_DATABASE_URL; of the embedded database, by itself.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(
      args,
      { check: { type: 'boolean', default: false }, only: { type: 'string' } },
      ['FILE'],
    );
    const { only } = values;
    if (only !== undefined && only !== 'tickets' && only !== 'record') {
      throw new UsageError(`--only is "${only}", which is neither "tickets" nor "record".`);
    }
    const path = userPath(positionals[0] ?? '', env);
    const file = await openFile(path);
    const stop = stopSignal();
    try {
      const contents = await checkBackup(path, file, stop);
      process.stdout.write(`${printable(path)} is whole, as of ${contents.takenAt}:\n`);
      process.stdout.write(describeContents(contents));
      if (values.check) return 0;
      const target = await findTarget(env, 'GATES_DATABASE_URL', { needsTickets: false });
      reportBoards(target);
      const work = { path, file, contents, stop };
      const hasRecord = contents.tables.some(RECORD);
      if (only === 'record' && !hasRecord) throw new GatesError(`${printable(path)} holds no record.`);
      const record = hasRecord && only !== 'tickets' ? await findRecord(env, target, noRecord) : undefined;
      if (only === 'record' && record) await restoreRecord(work, record);
      else await restoreAll(work, target, record);
      process.stdout.write('Restored.\n');
      warnOfOtherBoards(target, contents);
    } finally {
      await file.close();
    }
    return 0;
  },
};

interface Restoring {
  readonly path: string;
  readonly file: FileHandle;
  readonly contents: BackupContents;
  readonly stop: AbortSignal;
}

/** Two roles need two transactions. The record's is committed first, since restoring it again is harmless. */
async function restoreAll(work: Restoring, target: Target, record: Target | undefined): Promise<void> {
  const { contents, stop } = work;
  const undone = record ? 'No ticket was restored.' : 'Nothing was restored.';
  await withSession(target, stop, (session) =>
    session.transaction(undone, async (sql) => {
      await prepare(sql, contents, TICKETS);
      await reserveTickets(sql, contents);
      await assertNoTickets(sql, contents, target);
      await forgetDeletedTickets(sql, contents);
      await (record
        ? restoreRecord(work, record, sql)
        : writeTables(work, { gates: sql, record: undefined }));
    }),
  );
}

/** Restores the record; given a transaction for the tickets, those as well. */
async function restoreRecord(work: Restoring, record: Target, gates?: postgres.Sql): Promise<void> {
  await withSession(record, work.stop, (session) =>
    session.transaction('Nothing was recorded.', async (sql) => {
      await prepare(sql, work.contents, RECORD);
      await writeTables(work, { gates, record: sql });
    }),
  );
}

const RECORD = isOfRecord;
const TICKETS = (table: TableContents): boolean => !isOfRecord(table);

/** Marks the transaction in PostgreSQL's log, so that the flow counts none of its rows as entries. */
async function prepare(
  sql: postgres.Sql,
  { tables, onlyEvent }: BackupContents,
  isWritten: (table: TableContents) => boolean,
): Promise<void> {
  await prepareForTables(sql);
  await sql`select pg_logical_emit_message(true, ${RESTORE_MARK}, ${onlyEvent ?? ''})`;
  await assertColumnsExist(sql, tables.filter(isWritten));
}

/** Writes each table in the transaction of its role; without one, the table is skipped. */
async function writeTables(
  { path, file, contents, stop }: Restoring,
  { gates, record }: { readonly gates: postgres.Sql | undefined; readonly record: postgres.Sql | undefined },
): Promise<void> {
  await readBackup(path, file, async (table, rows) => {
    const isRecord = isOfRecord(table);
    if (isRecord && record) await insertRecord(record, table, rows);
    else if (!isRecord && gates) await insertRows(gates, table, rows);
    else await skipRows(rows, stop);
  });
  if (gates) await assertRestored(gates, contents);
}

function noRecord({ folder }: Target): never {
  const fix =
    folder === undefined
      ? 'set RECORD_DATABASE_URL, and run "npm run migrate" with it'
      : 'start the board with DESK_KEY set';
  throw new GatesError(
    `The backup holds a record, and nothing names a role here that may add to one: ${fix}. Or restore the tickets without it, with --only tickets.`,
  );
}

function warnOfOtherBoards({ boards, hasTickets }: Target, { events, onlyEvent }: BackupContents): void {
  if (onlyEvent !== undefined || !hasTickets) return;
  for (const board of boards.filter(({ eventId }) => !events.some(({ id }) => id === eventId))) {
    process.stderr.write(
      `The running board shows ${nameOf(board)}, which was not in the backup: set EVENT_ID to one that was.\n`,
    );
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    throw new GatesError(`${path} cannot be read: ${errorMessage(error)}.`);
  }
  throw new GatesError(`${path} is no file, and a backup is read more than once: save it in one.`);
}
