import { stat } from 'node:fs/promises';
import { readArguments, readCount, type Command } from '../cli/command.ts';
import { errorMessage, GatesError, printable, UsageError } from '../cli/errors.ts';
import { readEvent } from '../events/event.ts';
import {
  FILE_HELP,
  IMPORT_ARGUMENTS,
  IMPORT_ARGUMENTS_HELP,
  readImportOptions,
} from './importing/import-options.ts';
import { stopSignal } from '../cli/stop-signal.ts';
import { userPath } from '../cli/user-path.ts';
import { assertCanFile, makeFolders } from './watching/filing.ts';
import { lockFolder } from './watching/folder-lock.ts';
import { watchFolder } from './watching/watch-folder.ts';

export const watch: Command = {
  help: `Usage: npm run -s gates -- watch FOLDER [options]

Imports each file that is dropped into FOLDER, whole or not at all, as "import" does, and moves it to FOLDER/done or
FOLDER/failed, with a report beside it. Runs until Ctrl-C or SIGTERM.

Files are taken in the order of their names, each once it has not changed for a while; better, write it under a name that
ends in .part or .tmp, and rename it when it is whole: such names are never taken, nor are hidden ones, links and folders,
nor names that are not UTF-8, or longer than 200 bytes.
Where the database is unavailable, or the disk full, the file stays and is taken again. FOLDER may be on a network drive; one
process watches it at a time.

${FILE_HELP}

${IMPORT_ARGUMENTS_HELP}; needs --yes
  --yes                tickets may be cancelled without asking
  --settle SECONDS     a file that has not changed for so long is whole (default: 5; with --cancel-missing 60, as half a
                       file would cancel the other half)
  --event ID           into this event (default: EVENT_ID, else the event of the running board at the start)

Standard output has a line about each file, with its first ten bad lines. Exit code 0: stopped; 1: the folder cannot be watched; 2: a wrong option.
`,
  async run(args, env) {
    const { values, positionals } = readArguments(args, { ...IMPORT_ARGUMENTS, settle: { type: 'string' } }, [
      'FOLDER',
    ]);
    const options = readImportOptions(values);
    if (options.cancelMissing && !values.yes) {
      throw new UsageError('--cancel-missing needs --yes here, as nobody is asked.');
    }
    const settle = values.settle ?? (values['cancel-missing'] ? '60' : '5');
    const settleMs = readCount('--settle', settle) * 1_000;
    const eventId = readEvent(values.event, env);
    const folder = userPath(positionals[0] ?? '', env);
    const stop = stopSignal();
    await assertFolder(folder);
    const lock = await lockFolder(folder, stop).catch((error: unknown) => {
      if (!stop.aborted) throw error;
    });
    if (!lock) return 0;
    try {
      try {
        await makeFolders(folder);
        await assertCanFile(folder);
      } catch (error) {
        throw cannotWatch(folder, errorMessage(error));
      }
      const log = (line: string): void =>
        void process.stdout.write(`${new Date().toISOString()} ${printable(line).replaceAll('\n', ' ')}\n`);
      await watchFolder({ folder, lock, eventId, options, settleMs, env, stop, log });
    } finally {
      await lock.release();
    }
    return 0;
  },
};

async function assertFolder(folder: string): Promise<void> {
  const status = await stat(folder).catch((error: unknown) => {
    throw cannotWatch(folder, errorMessage(error));
  });
  if (!status.isDirectory()) throw cannotWatch(folder, 'it is no folder');
}

function cannotWatch(folder: string, why: string): GatesError {
  return new GatesError(`${printable(folder)} cannot be watched: ${why}.`);
}
