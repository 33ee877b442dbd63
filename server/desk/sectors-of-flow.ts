import { permittedSectors } from '../../domain/permitted-capacity.ts';
import { DEFAULT_VENUE, type Sector, type Venue } from '../../domain/venue.ts';

/** The rows whose flow is watched. */
export function sectorsOfFlow(venue: Venue = DEFAULT_VENUE): readonly Sector[] {
  return permittedSectors(venue);
}
