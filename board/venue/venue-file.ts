import { MAX_VENUE_FILE_BYTES, readVenue } from '../../domain/venue-file.ts';
import type { Venue } from '../../domain/venue.ts';
import { readTextFile } from './text-file.ts';

/**
 * Reads a venue file; a relative `path` is of the working directory.
 *
 * @throws JsonFileError that names every fault.
 */
export function readVenueFile(path: string): Venue {
  return readVenue(readTextFile(path, 'a venue', MAX_VENUE_FILE_BYTES));
}
