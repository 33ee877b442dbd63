import { type FileHandle, open } from 'node:fs/promises';
import postgres from 'postgres';
import { describeContents, prepareForTables } from './backup-contents.ts';
import { readBackup } from './backup-reader.ts';
import { readArguments, type Command } from './command.ts';
import { errorMessage, GatesError, printable } from './errors.ts';
import {
  addRows,
  assertRestored,
  lockTickets,
  refuseMissingColumns,
  refuseTickets,
} from './restore-tables.ts';
import { findTarget } from './target.ts';
import { ConnectionLost, inTransaction } from './transaction.ts';

/** Writes what is in a backup into a database without tickets, all or nothing. */
export const restore: Command = {
  help: `Usage: npm run -s gates -- restore FILE [--check]

Writes the events, sectors and tickets of a backup into a database that has no ticket, in one transaction; the board may
run. The file is read whole first, and what is in it is said: one that is cut off, altered, or not from "backup" is
refused. So is a database with tickets. Events and sectors that are there already stay as they are.

  --check  only read the file, and say what is in it
`,
  async run(args, env) {
    const { values, positionals } = readArguments(args, { check: { type: 'boolean', default: false } }, [
      'FILE',
    ]);
    const path = positionals[0] ?? '';
    const file = await openFile(path);
    try {
      const contents = await readBackup(path, file, async (_table, rows) => {
        for await (const piece of rows) void piece;
      });
      process.stdout.write(`${printable(path)} is whole, as of ${contents.takenAt}:\n`);
      process.stdout.write(describeContents(contents));
      if (values.check) return 0;
      const target = await findTarget(env);
      try {
        await inTransaction(target, '', async (sql) => {
          await prepareForTables(sql);
          await lockTickets(sql);
          await refuseTickets(sql, target);
          await refuseMissingColumns(sql, contents);
          await readBackup(path, file, (table, rows) => addRows(sql, table, rows));
          await assertRestored(sql, contents);
        });
      } catch (error) {
        throw explain(error);
      }
      process.stdout.write('Restored.\n');
    } finally {
      await file.close();
    }
    return 0;
  },
};

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (error) {
    throw new GatesError(`${path} cannot be read: ${errorMessage(error)}.`);
  }
  throw new GatesError(`${path} is no file, and a backup is read twice: save it in one.`);
}

function explain(error: unknown): unknown {
  if (error instanceof GatesError && !(error instanceof ConnectionLost)) return error;
  const message = errorMessage(error);
  // A server that goes down may have committed; any other error of it has undone the transaction.
  if (!(error instanceof postgres.PostgresError) || /^(08|57P)/.test(error.code)) {
    return new GatesError(
      `The connection to the database was lost (${message}): either all was restored or nothing. Run this again: ` +
        'it refuses where the tickets are there.',
    );
  }
  if (error.code === '53100') {
    return new GatesError(
      `The disk of the database is full (${message}): free some space. Nothing was changed.`,
    );
  }
  return new GatesError(`The database refused the backup: ${message}. Nothing was changed.`);
}
