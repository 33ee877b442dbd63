import { resolve } from 'node:path';
import { describeContents, prepareForTables } from './backup-contents.ts';
import { writeBackup } from './backup-writer.ts';
import { readArguments, type Command } from './command.ts';
import { printable } from './errors.ts';
import { sayBoards } from './event.ts';
import { withSession } from './session.ts';
import { stopSignal } from './stop-signal.ts';
import { findTarget } from './target.ts';

/** Writes everything that gates write into one file. */
export const backup: Command = {
  help: `Usage: npm run -s gates -- backup FILE

Writes the events, their titles and times, sectors and tickets of the database, with all their columns, into a new file, as they are at one
instant; board and gates go on meanwhile. FILE is there once it is whole, for its owner alone to read; one that is there
already is not replaced. The same file is an SQL script in gzip: zcat FILE shows it, psql runs it.

Passwords and keys (secrets.json) are not in it. "restore --check FILE" tells whether a file is whole.
`,
  async run(args, env) {
    const { positionals } = readArguments(args, {}, ['FILE']);
    const path = resolve(positionals[0] ?? '');
    const stop = stopSignal();
    const target = await findTarget(env);
    sayBoards(target);
    const { contents, bytes } = await withSession(target, stop, (session) =>
      session.transaction('No file was written.', async (sql) => {
        await sql`set transaction isolation level repeatable read read only`;
        await prepareForTables(sql);
        return writeBackup(sql, path);
      }),
    );
    process.stdout.write(describeContents(contents));
    process.stdout.write(`Written to ${printable(path)} (${bytes} bytes)\n`);
    return 0;
  },
};
