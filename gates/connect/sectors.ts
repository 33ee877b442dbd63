import { DEFAULT_VENUE, knownCodes, type Venue } from '../../domain/venue.ts';
import { describeTickets } from '../events/code-counts.ts';
import { describeUnknownSectors } from '../import/importing/unknown-sectors.ts';
import type { Connection } from './connection.ts';
import { at, type Databases } from './databases.ts';
import { query } from './sql.ts';

const MAX_LISTED = 20;

interface SectorCounts {
  readonly setor: string;
  readonly tickets: number;
  readonly entered: number;
}

/** Returns what was connected, to be compared with what the system displays. */
export async function readSectors({ here }: Databases, { name }: Connection): Promise<SectorCounts[]> {
  return at(here, (sql) =>
    query<SectorCounts>(
      sql,
      `select setor, count(*)::int as tickets, (count(*) filter (where entrou))::int as entered
        from "${name}".tickets group by setor order by setor`,
    ),
  );
}

/** Returns a line for each sector. */
export function describeSectors(sectors: readonly SectorCounts[]): string {
  return sectors
    .map(
      ({ setor, tickets, entered }) => `sector ${setor}: ${describeTickets(tickets)}, ${entered} entered\n`,
    )
    .join('');
}

/** Returns why the board of this venue may show tickets where they do not belong, with the fix; no lines: it does not. */
export function describeSectorDoubts(
  sectors: readonly SectorCounts[],
  { settings }: Connection,
  venue: Venue,
): string[] {
  const known = knownCodes(venue);
  const unknown = sectors
    .filter(({ setor }) => !known.has(setor))
    .toSorted((one, other) => other.tickets - one.tickets);
  const lines = describeUnknownSectors({
    tickets: unknown.reduce((sum, { tickets }) => sum + tickets, 0),
    codes: unknown.length,
    first: unknown.slice(0, MAX_LISTED),
  });
  const named = new Set(Object.values(settings.sectors));
  const byChance = sectors.filter(({ setor }) => known.has(setor) && !named.has(setor));
  if (settings.system !== undefined && venue.name === DEFAULT_VENUE.name && byChance.length > 0) {
    const rows = byChance.map(
      ({ setor }) => `${setor} as ${venue.sectors.find(({ codes }) => codes.includes(setor))?.name}`,
    );
    lines.push(
      `The board shows categories of ${settings.system} under the built-in venue's names: ${rows.join(', ')}.`,
    );
  }
  if (lines.length > 0 && settings.system !== undefined)
    lines.push(
      'Run this again with --venue FILE, and start the board with VENUE_FILE=FILE; or --remove, and connect again with a --category ID=SECTOR for each.',
    );
  return lines;
}
