import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_VENUE_FILE_BYTES, readVenue, VenueError } from '../domain/venue-file.ts';
import type { Venue } from '../domain/venue.ts';

const READ_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the account that runs this may not read it',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'it is a link that leads to itself',
};

/**
 * Reads a venue file; a relative `path` is of the working directory.
 *
 * @throws VenueError that names every fault.
 */
export function readVenueFile(path: string): Venue {
  return readVenue(readText(path));
}

function readText(path: string): string {
  try {
    const file = statSync(path);
    if (file.isDirectory()) throw new VenueError(['it is a folder: name a file']);
    if (!file.isFile()) throw new VenueError(['it is no file']);
    if (file.size > MAX_VENUE_FILE_BYTES) {
      throw new VenueError([`it has ${file.size} bytes: a venue has at most ${MAX_VENUE_FILE_BYTES}`]);
    }
    const bytes = readFileSync(path);
    if (!isUtf8(bytes)) throw new VenueError(['it is not UTF-8: save it as such']);
    return bytes.toString();
  } catch (error) {
    if (error instanceof VenueError) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new VenueError([`${READ_FAULTS[code] ?? message} (${resolve(path)})`]);
  }
}
