import type { SectorDocument } from './event-state.ts';
import { DEFAULT_VENUE, type Sector, type Venue } from './venue.ts';

/** The sectors of a venue, with what each is permitted. How many seats the default venue has is nobody's permit. */
export function permittedSectors(venue: Venue): readonly Sector[] {
  if (venue !== DEFAULT_VENUE) return venue.sectors;
  return venue.sectors.map(({ code, codes, name, stand }) => ({ code, codes, name, stand }));
}

/** By the place of the sector; null where nobody says, as of the others, which come last. */
export function permittedCapacities(
  sectors: readonly Sector[],
  documents: readonly SectorDocument[],
): readonly (number | null)[] {
  return [...sectors.map((sector) => capacityOf(sector, documents)), null];
}

/** Of the whole ground; null where a row of the venue has none. */
export function groundCapacity(capacities: readonly (number | null)[]): number | null {
  const ofRows = capacities.slice(0, -1);
  if (ofRows.length === 0) return null;
  return ofRows.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

/** What the sector's documents permit, else the venue. A row of several codes has those of all. */
function capacityOf({ code, codes, capacity }: Sector, documents: readonly SectorDocument[]): number | null {
  const said = documents.flatMap(({ code: of, data }) => {
    const permitted = (data as { readonly capacity?: unknown } | null)?.capacity;
    const isOfRow = of === code || codes.includes(of);
    return isOfRow && typeof permitted === 'number' && permitted > 0 ? [permitted] : [];
  });
  if (said.length > 0) return said.reduce((sum, permitted) => sum + permitted, 0);
  return capacity ?? null;
}
