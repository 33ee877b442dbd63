import type { SectorDocument } from './event-state.ts';
import { DEFAULT_VENUE, type Sector, type Venue } from './venue.ts';

/** Returns the sectors of a venue with their permitted capacities. The seats of the default venue are no permit. */
export function permittedSectors(venue: Venue): readonly Sector[] {
  if (venue !== DEFAULT_VENUE) return venue.sectors;
  return venue.sectors.map(({ code, codes, name, stand }) => ({ code, codes, name, stand }));
}

/** Returns a capacity for each sector, null where it is unknown, and null for the others, which come last. */
export function permittedCapacities(
  sectors: readonly Sector[],
  documents: readonly SectorDocument[],
): readonly (number | null)[] {
  return [...sectors.map((sector) => capacityOf(sector, documents)), null];
}

/** Returns the capacity of the whole ground; null where a row of the venue has none. */
export function groundCapacity(capacities: readonly (number | null)[]): number | null {
  const ofRows = capacities.slice(0, -1);
  if (ofRows.length === 0) return null;
  return ofRows.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0);
}

/** Returns what the sector's documents permit, else the venue. A row of several codes has the sum of theirs. */
function capacityOf({ code, codes, capacity }: Sector, documents: readonly SectorDocument[]): number | null {
  const ofDocuments = documents.flatMap(({ code: of, data }) => {
    const permitted = (data as { readonly capacity?: unknown } | null)?.capacity;
    const isOfRow = of === code || codes.includes(of);
    return isOfRow && typeof permitted === 'number' && permitted > 0 ? [permitted] : [];
  });
  if (ofDocuments.length > 0) return ofDocuments.reduce((sum, permitted) => sum + permitted, 0);
  return capacity ?? null;
}
