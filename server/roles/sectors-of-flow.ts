import { DEFAULT_VENUE, type Sector, type Venue } from '../../domain/venue.ts';

/** The rows whose flow is watched. How many seats the default venue has is nobody's permit. */
export function sectorsOfFlow(venue: Venue | undefined): readonly Sector[] {
  if (venue) return venue.sectors;
  return DEFAULT_VENUE.sectors.map(({ code, codes, name, stand }) => ({ code, codes, name, stand }));
}
