import { createHash } from 'node:crypto';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import type { Venue } from '../../domain/venue.ts';
import { rowLayout } from './row-layout.ts';

/** What the pages are told of this venue. */
export function showVenue(venue: Venue): ShownVenue {
  return {
    venueId: idOf(venue),
    sectors: venue.sectors.map(({ code, name, stand }) => ({ code, name, stand })),
    layout: rowLayout(venue.sectors.map(({ name }) => name)),
    ...(venue.evacuation && { evacuationText: venue.evacuation.wallText }),
  };
}

/**
 * Of all that counts: where only the codes of a row change, its counts are those of another row. Not of what signed-in desks
 * alone are sent: nobody can guess a telephone from it, and no wall takes the rows anew for another one.
 */
function idOf({ sectors, ...venue }: Venue): string {
  const counted = sectors.map(({ contact: _contact, entriesPerHour: _entriesPerHour, ...sector }) => sector);
  return createHash('sha256')
    .update(JSON.stringify({ ...venue, sectors: counted }))
    .digest('hex')
    .slice(0, 12);
}
