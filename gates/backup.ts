import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type postgres from 'postgres';
import {
  type BackupContents,
  BEGIN,
  checksumLine,
  contentsLine,
  copyStatement,
  countingRows,
  END,
  END_OF_ROWS,
  FIRST_LINE,
  newChecksum,
} from './backup-format.ts';
import { describeContents, prepareForTables, readContents } from './backup-contents.ts';
import { readArguments, type Command } from './command.ts';
import { copyOut } from './copy-out.ts';
import { GatesError, printable } from './errors.ts';
import { sayBoards } from './event.ts';
import { writeNewFile } from './new-file.ts';
import { Progress } from './progress.ts';
import { withSession } from './session.ts';
import { stopSignal } from './stop-signal.ts';
import { findTarget } from './target.ts';

/** Writes everything that gates write into one file. */
export const backup: Command = {
  help: `Usage: npm run -s gates -- backup FILE

Writes the events, sectors and tickets of the database, with all their columns, into a new file, as they are at one
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
    let contents: BackupContents | undefined;
    const bytes = await writeNewFile(path, (append) =>
      withSession(target, stop, (session) =>
        session.transaction('No file was written.', async (sql) => {
          await sql`set transaction isolation level repeatable read read only`;
          await prepareForTables(sql);
          contents = await readContents(sql);
          // Failures of the script come out of what is read here.
          const compressed = pipeline(writeScript(sql, contents), createGzip(), () => {});
          for await (const piece of compressed as AsyncIterable<Buffer>) await append(piece);
        }),
      ),
    );
    if (contents) process.stdout.write(describeContents(contents));
    process.stdout.write(`Written to ${printable(path)} (${bytes} bytes)\n`);
    return 0;
  },
};

/** The whole script, a piece at a time. */
async function* writeScript(sql: postgres.Sql, contents: BackupContents): AsyncGenerator<string | Buffer> {
  const checksum = newChecksum();
  for await (const piece of writeTables(sql, contents)) {
    checksum.update(piece);
    yield piece;
  }
  yield checksumLine(checksum);
}

async function* writeTables(sql: postgres.Sql, contents: BackupContents): AsyncGenerator<string | Buffer> {
  yield FIRST_LINE + contentsLine(contents) + BEGIN;
  const progress = new Progress();
  try {
    for (const table of contents.tables) {
      yield `${copyStatement(table, 'from stdin')};\n`;
      let written = 0;
      yield* countingRows(copyOut(sql, copyStatement(table, 'to stdout')), (count) => {
        written = count;
        if (table.name === 'tickets') progress.show(() => `${count} of ${table.rows} tickets`);
      });
      if (written !== table.rows) throw new GatesError(`${table.name}: ${written} rows of ${table.rows}`);
      yield END_OF_ROWS;
    }
  } finally {
    progress.end();
  }
  yield END;
}
