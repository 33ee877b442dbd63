import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  type BackupContents,
  beginning,
  checksumLine,
  copyInStatement,
  countingRows,
  END,
  END_OF_ROWS,
  isKnownVersion,
  newChecksum,
  parseContents,
  parseFirstLine,
  type TableContents,
} from './backup-format.ts';
import { errorMessage, GatesError, stopped } from '../cli/errors.ts';

const CHUNK_BYTES = 262_144;
const MAX_FIRST_LINE_BYTES = 64;
const MAX_LINE_BYTES = 16_777_216;
const NO_BACKUP = 'it is no backup of Triagem';
const ALTERED = 'it is damaged, or has been altered';
const CUT_OFF = 'it is cut off';
const GZIP = Buffer.from([0x1f, 0x8b]);

class InvalidBackup extends Error {}

/**
 * Reads a backup chunk by chunk, and passes the rows of each table to `take`, which must consume them all. Returns its
 * contents.
 *
 * @throws GatesError for anything but a whole backup, perhaps after rows were passed on, and what `take` throws.
 */
export async function readBackup(
  path: string,
  file: FileHandle,
  take: (table: TableContents, rows: AsyncIterable<Buffer>) => Promise<void>,
): Promise<BackupContents> {
  // The reader sees the failures of the pipeline.
  const script = pipeline(bytesOf(file), createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  try {
    const reader = new ScriptReader(script);
    const version = await reader.version();
    const contents = await reader.contents(version);
    await reader.expect(beginning(contents, version));
    for (const table of contents.tables) {
      await reader.expect(`${copyInStatement(table)};\n`);
      let taken = 0;
      await take(
        table,
        countingRows(reader.rows(), (count) => (taken = count)),
      );
      if (taken !== table.rows) throw new InvalidBackup(ALTERED);
    }
    await reader.expect(END);
    await reader.expect(checksumLine(reader.checksum));
    await reader.expectEnd();
    return contents;
  } catch (error) {
    if (!(error instanceof InvalidBackup)) throw error;
    throw new GatesError(`${path} cannot be restored: ${error.message}.`);
  } finally {
    script.destroy();
  }
}

/** Reads a backup to its end, and writes nothing. @throws as `readBackup`. */
export function checkBackup(path: string, file: FileHandle, stop: AbortSignal): Promise<BackupContents> {
  return readBackup(path, file, (_table, rows) => skipRows(rows, stop));
}

export async function skipRows(rows: AsyncIterable<Buffer>, stop: AbortSignal): Promise<void> {
  for await (const chunk of rows) if (chunk.length > 0 && stop.aborted) throw stopped();
}

/** Reads the contents line of a backup, and none of its rows. @throws Error with the reason for any other file. */
export async function readBackupContents(file: FileHandle): Promise<BackupContents> {
  const script = pipeline(bytesOf(file), createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  try {
    const reader = new ScriptReader(script);
    return await reader.contents(await reader.version());
  } finally {
    script.destroy();
  }
}

async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES), position });
    if (bytesRead === 0) return;
    const bytes = buffer.subarray(0, bytesRead);
    if (position === 0 && !bytes.subarray(0, GZIP.length).equals(GZIP.subarray(0, bytesRead))) {
      throw new InvalidBackup(NO_BACKUP);
    }
    position += bytesRead;
    yield bytes;
  }
}

class ScriptReader {
  readonly checksum = newChecksum();
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(script: Readable) {
    this.#chunks = script[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async expect(text: string): Promise<void> {
    const wanted = Buffer.from(text);
    while (this.#rest.length < wanted.length) await this.#read();
    if (!this.#take(wanted.length).equals(wanted)) throw new InvalidBackup(ALTERED);
  }

  async version(): Promise<number> {
    while (this.#rest.length < MAX_FIRST_LINE_BYTES && !this.#rest.includes('\n')) await this.#read();
    const version = parseFirstLine(this.#take(this.#rest.indexOf('\n') + 1).toString());
    if (version === undefined) throw new InvalidBackup(NO_BACKUP);
    if (!isKnownVersion(version))
      throw new InvalidBackup(`${NO_BACKUP} that this version can read (its format is ${version})`);
    return version;
  }

  async contents(version: number): Promise<BackupContents> {
    let end = this.#rest.indexOf('\n');
    while (end === -1) {
      if (this.#rest.length > MAX_LINE_BYTES) throw new InvalidBackup(ALTERED);
      await this.#read();
      end = this.#rest.indexOf('\n');
    }
    try {
      return parseContents(this.#take(end + 1).toString(), version);
    } catch {
      throw new InvalidBackup(ALTERED);
    }
  }

  /** Yields rows up to their end mark, which stands at the beginning or after a newline. */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.#rest.length < END_OF_ROWS.length) await this.#read();
    if (this.#rest.indexOf(END_OF_ROWS) !== 0) {
      let end = this.#rest.indexOf(`\n${END_OF_ROWS}`);
      while (end === -1) {
        // The last bytes may be the first half of the mark.
        const certain = this.#rest.length - END_OF_ROWS.length;
        if (certain > 0) yield this.#take(certain);
        await this.#read();
        end = this.#rest.indexOf(`\n${END_OF_ROWS}`);
      }
      yield this.#take(end + 1);
    }
    this.#take(END_OF_ROWS.length);
  }

  async expectEnd(): Promise<void> {
    const { done } = await this.#next().catch((error: InvalidBackup) => {
      // The end of the stream's checksum is missing, or the beginning of another stream follows.
      const isEither = error.message === CUT_OFF;
      throw isEither ? new InvalidBackup(`${CUT_OFF} at its very end, or something was appended`) : error;
    });
    if (done !== true || this.#rest.length > 0) throw new InvalidBackup(ALTERED);
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.checksum.update(taken);
    return taken;
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#next();
    if (done === true) throw new InvalidBackup(CUT_OFF);
    this.#rest = Buffer.concat([this.#rest, value]);
  }

  async #next(): Promise<IteratorResult<Buffer>> {
    try {
      return await this.#chunks.next();
    } catch (error) {
      throw explain(error);
    }
  }
}

function explain(error: unknown): InvalidBackup {
  if (error instanceof InvalidBackup) return error;
  const message = errorMessage(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return new InvalidBackup(CUT_OFF);
  if (code === 'Z_DATA_ERROR') return new InvalidBackup(ALTERED);
  return new InvalidBackup(`it cannot be read: ${message}`);
}
