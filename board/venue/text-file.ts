import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { JsonFileError } from '../../domain/json-file.ts';

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the account that runs this may not read it',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a link that leads to itself',
};

/**
 * Reads a file that people write; a relative `path` is of the working directory. `what`: "a venue".
 *
 * @throws JsonFileError with the reason why it cannot be read.
 */
export function readTextFile(path: string, what: string, maxBytes: number): string {
  try {
    const file = statSync(path);
    if (file.isDirectory()) throw new JsonFileError(['it is a folder: name a file']);
    if (!file.isFile()) throw new JsonFileError(['it is no file']);
    if (file.size > maxBytes) {
      throw new JsonFileError([`it has ${file.size} bytes: ${what} has at most ${maxBytes}`]);
    }
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) throw new JsonFileError(['it is not UTF-8: save it as such']);
    return bytes.toString();
  } catch (error) {
    if (error instanceof JsonFileError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new JsonFileError([`${READ_FAULTS[code] ?? message} (${resolve(path)})`]);
  }
}
