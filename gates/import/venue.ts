import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { JsonFileError } from '../../domain/json-file.ts';
import { readVenue } from '../../domain/venue-file.ts';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import type { Environment } from '../cli/command.ts';
import { errorMessage, GatesError } from '../cli/errors.ts';
import type { Target } from '../cli/target.ts';

/**
 * Returns the venue of VENUE_FILE, else the running board's, else the default one.
 *
 * @throws GatesError that names every fault of the file.
 */
export async function venueOf(
  env: Environment,
  target: Pick<Target, 'boards' | 'lastBoard'>,
): Promise<Venue> {
  const path = env['VENUE_FILE']?.trim();
  if (path) return readVenueFile(resolve(path));
  const announced = (target.boards[0] ?? target.lastBoard)?.venue;
  return announced === undefined
    ? DEFAULT_VENUE
    : readOrExplain('The venue of the board', JSON.stringify(announced));
}

async function readVenueFile(path: string): Promise<Venue> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new GatesError(`VENUE_FILE (${path}) cannot be read: ${errorMessage(error)}.`);
  });
  return readOrExplain(`VENUE_FILE (${path})`, text);
}

function readOrExplain(name: string, text: string): Venue {
  try {
    return readVenue(text);
  } catch (error) {
    if (!(error instanceof JsonFileError)) throw error;
    throw new GatesError(`${name} is no venue:\n${error.message}`);
  }
}
