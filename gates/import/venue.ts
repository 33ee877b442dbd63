import { venueIdOf } from '../../board/http/shown-venue.ts';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { JsonFileError } from '../../domain/json-file.ts';
import { readVenue } from '../../domain/venue-file.ts';
import { DEFAULT_VENUE, type Venue } from '../../domain/venue.ts';
import { askBoard } from '../cli/ask-board.ts';
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

/** Reports on stderr where the event's board, if it answers, displays another venue. */
export async function reportOtherVenue(
  env: Environment,
  { boards }: Pick<Target, 'boards'>,
  eventId: string,
  venue: Venue,
): Promise<void> {
  const board = boards.find((one) => one.eventId === eventId);
  const asked = board && (await askBoard(env, board));
  if (!asked || asked.silentBecause !== undefined) return;
  const other = describeOtherVenue(env, venue, asked.venueId);
  if (other !== undefined) process.stderr.write(`Beware: ${other}.\n`);
}

/** Returns how the venue that a board displays differs from `venue`, with the fix. `shownId`: undefined for the built-in one. */
export function describeOtherVenue(
  env: Environment,
  venue: Venue,
  shownId: string | undefined,
): string | undefined {
  if ((shownId ?? venueIdOf(DEFAULT_VENUE)) === venueIdOf(venue)) return undefined;
  if (!env['VENUE_FILE']?.trim())
    return 'the board displays a venue of its own, and VENUE_FILE is not set here: set it as for the board';
  return shownId === undefined
    ? 'the board runs without VENUE_FILE, and displays the built-in sectors, none of the file that is set here: start it again with VENUE_FILE, or unset it here'
    : 'the board displays another venue than VENUE_FILE has here, as it reads the file at its start: start it again, or correct VENUE_FILE here';
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
