import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type BackupSources, readContents } from './backup-contents.ts';
import {
  type BackupContents,
  beginning,
  checksumLine,
  contentsLine,
  copyInStatement,
  copyOutStatement,
  countingRows,
  END,
  END_OF_ROWS,
  firstLine,
  isOfRecord,
  newChecksum,
  VERSION,
} from './backup-format.ts';
import { copyOut } from './copy-out.ts';
import { GatesError } from '../cli/errors.ts';
import { writeNewFile } from '../cli/new-file.ts';
import { Progress } from '../cli/progress.ts';

/**
 * Writes a backup of one event, or of all, into a new file. The transactions must be `repeatable read`, and prepared by
 * `prepareForTables`.
 *
 * @throws GatesError when the file cannot be written; no partial file is left.
 */
export async function writeBackup(
  sources: BackupSources,
  path: string,
  onlyEvent?: string,
): Promise<{ contents: BackupContents; bytes: number }> {
  let contents: BackupContents | undefined;
  const bytes = await writeNewFile(path, async (append) => {
    contents = await readContents(sources, onlyEvent);
    if (onlyEvent !== undefined && contents.tables.every(({ rows }) => rows === 0)) {
      throw new GatesError(`There is no event ${onlyEvent}: "event list" lists them.`);
    }
    // This loop sees the failures of the pipeline.
    const compressed = pipeline(writeScript(sources, contents), createGzip(), () => {});
    for await (const chunk of compressed as AsyncIterable<Buffer>) await append(chunk);
  });
  if (!contents) throw new Error('the file was written before its contents were known');
  return { contents, bytes };
}

async function* writeScript(
  sources: BackupSources,
  contents: BackupContents,
): AsyncGenerator<string | Buffer> {
  const checksum = newChecksum();
  for await (const chunk of writeTables(sources, contents)) {
    checksum.update(chunk);
    yield chunk;
  }
  yield checksumLine(checksum);
}

async function* writeTables(
  { gates, record = gates }: BackupSources,
  contents: BackupContents,
): AsyncGenerator<string | Buffer> {
  yield firstLine(VERSION) + contentsLine(contents) + beginning(contents);
  const progress = new Progress();
  try {
    for (const table of contents.tables) {
      yield `${copyInStatement(table)};\n`;
      let written = 0;
      const sql = isOfRecord(table) ? record : gates;
      yield* countingRows(copyOut(sql, copyOutStatement(table, contents.onlyEvent)), (count) => {
        written = count;
        if (table.name === 'tickets') progress.show(() => `${count} of ${table.rows} tickets`);
      });
      if (written !== table.rows)
        throw new GatesError(
          `${table.name}: ${written} rows of ${table.rows}, as the others are in a table that inherits from it: move them into it.`,
        );
      yield END_OF_ROWS;
    }
  } finally {
    progress.end();
  }
  yield END;
}
