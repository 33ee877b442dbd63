import { createHash } from 'node:crypto';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import type { Venue } from '../../domain/venue.ts';
import { rowLayout } from './row-layout.ts';

/** Returns the venue for the pages. */
export function showVenue(venue: Venue): ShownVenue {
  return {
    venueId: venueIdOf(venue),
    sectors: venue.sectors.map(({ code, name, stand }) => ({ code, name, stand })),
    layout: rowLayout(venue.sectors.map(({ name }) => name)),
    ...(venue.evacuation && { evacuationText: venue.evacuation.wallText }),
  };
}

/**
 * The hash of what decides the counts: where only the codes of a row change, its counts are those of another row. What only
 * signed-in desks receive is left out: no telephone can be guessed from it, and another one reloads no wall.
 */
export function venueIdOf({ sectors, ...venue }: Venue): string {
  const counted = sectors.map(({ contact: _contact, entriesPerHour: _entriesPerHour, ...sector }) => sector);
  return createHash('sha256')
    .update(JSON.stringify({ ...venue, sectors: counted }))
    .digest('hex')
    .slice(0, 12);
}
