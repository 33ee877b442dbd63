import { type FileHandle, open } from 'node:fs/promises';
import { describeContents, prepareForTables } from './backup-contents.ts';
import type { BackupContents } from './backup-format.ts';
import { readBackup } from './backup-reader.ts';
import { readArguments, type Command } from './command.ts';
import { errorMessage, GatesError, printable, stopped } from './errors.ts';
import { nameOf, sayBoards } from './event.ts';
import {
  insertRows,
  assertRestored,
  reserveTickets,
  assertColumnsExist,
  assertNoTickets,
} from './restore-tables.ts';
import { withSession } from './session.ts';
import { stopSignal } from './stop-signal.ts';
import { findTarget, type Target } from './target.ts';

/** Writes what is in a backup into a database without tickets, all or nothing. */
export const restore: Command = {
  help: `Usage: npm run -s gates -- restore FILE [--check]

Writes the events, their titles and times, sectors and tickets of a backup into a database that has no ticket, in one
transaction; the board may run. The file is read whole first, and what is in it is said: one that is cut off, altered, or
not from "backup" is refused. So is a database with tickets. Events and sectors that are there already stay as they are.

What "event delete" has written, of one event, is restored beside others, where that event has no ticket; gates of the
others go on meanwhile.

  --check  only read the file, and say what is in it
`,
  async run(args, env) {
    const { values, positionals } = readArguments(args, { check: { type: 'boolean', default: false } }, [
      'FILE',
    ]);
    const path = positionals[0] ?? '';
    const file = await openFile(path);
    const stop = stopSignal();
    try {
      const contents = await readBackup(path, file, async (_table, rows) => {
        for await (const piece of rows) if (piece.length > 0 && stop.aborted) throw stopped();
      });
      process.stdout.write(`${printable(path)} is whole, as of ${contents.takenAt}:\n`);
      process.stdout.write(describeContents(contents));
      if (values.check) return 0;
      const target = await findTarget(env);
      sayBoards(target);
      await withSession(target, stop, (session) =>
        session.transaction('Nothing was restored.', async (sql) => {
          await prepareForTables(sql);
          await reserveTickets(sql, contents);
          await assertNoTickets(sql, contents, target);
          await assertColumnsExist(sql, contents);
          await readBackup(path, file, (table, rows) => insertRows(sql, table, rows));
          await assertRestored(sql, contents);
        }),
      );
      process.stdout.write('Restored.\n');
      warnOfOtherBoards(target, contents);
    } finally {
      await file.close();
    }
    return 0;
  },
};

function warnOfOtherBoards({ boards }: Target, { events, onlyEvent }: BackupContents): void {
  if (onlyEvent !== undefined) return;
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
  throw new GatesError(`${path} is no file, and a backup is read twice: save it in one.`);
}
