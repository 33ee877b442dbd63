import { createHash } from 'node:crypto';
import type { ShownVenue } from '../../domain/shown-venue.ts';
import type { Venue } from '../../domain/venue.ts';
import { rowLayout } from './row-layout.ts';

/** What the pages are told of this venue. */
export function showVenue(venue: Venue): ShownVenue {
  return {
    // Of all of it: where only the codes of a row change, its counts are those of another row.
    venueId: createHash('sha256').update(JSON.stringify(venue)).digest('hex').slice(0, 12),
    sectors: venue.sectors.map(({ code, name, stand }) => ({ code, name, stand })),
    layout: rowLayout(venue.sectors.map(({ name }) => name)),
    ...(venue.evacuation && { evacuationText: venue.evacuation.wallText }),
  };
}
