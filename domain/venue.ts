/** A row of the screen. */
export interface Sector {
  /** Names the row; unlike that of any other sector. */
  readonly code: string;
  readonly name: string;
  /** Sectors that follow each other in one stand stand together. */
  readonly stand: string;
  /** What tickets of the sector have as their sector, compared exactly: '04' and ' 4' are not '4'. Never empty. */
  readonly codes: readonly string[];
  /** Seats. */
  readonly capacity?: number;
}

/** Where the event is: how the codes of tickets become the rows of the screen. */
export interface Venue {
  readonly name: string;
  /** An IANA name. */
  readonly timeZone?: string;
  /** In the order of the screen; no code is in two of them. */
  readonly sectors: readonly Sector[];
}

/** The stadium's thirteen sectors. The name is shown nowhere. */
export const DEFAULT_VENUE: Venue = {
  name: 'Triagem',
  sectors: [
    sector('6', 'CAMAROTES'),
    sector('11', 'LESTE INFERIOR CENTRAL'),
    sector('1', 'LESTE INFERIOR LATERAL'),
    sector('12', 'LESTE SUPERIOR CENTRAL'),
    sector('2', 'LESTE SUPERIOR LATERAL'),
    sector('4', 'NORTE'),
    sector('5', 'OESTE INFERIOR CENTRAL'),
    sector('13', 'OESTE INFERIOR CORNER'),
    sector('3', 'OESTE INFERIOR LATERAL'),
    sector('99', 'OESTE LOUNGE BRAHMA'),
    sector('9', 'OESTE SUPERIOR'),
    sector('7', 'SUL DORIL'),
    sector('8', 'SUL VISITANTE'),
  ],
};

/** The stand of a sector that names none. */
export function standOf(sectorName: string): string {
  return sectorName.split(' ', 1)[0] ?? '';
}

/** What names the rows, in the order of the screen. */
export function sectorCodesOf(venue: Venue): string[] {
  return venue.sectors.map(({ code }) => code);
}

/** All codes of all sectors. Tickets with any other code are counted as others. */
export function knownCodes(venue: Venue): ReadonlySet<string> {
  return new Set(venue.sectors.flatMap(({ codes }) => codes));
}

function sector(code: string, name: string): Sector {
  return { code, name, stand: standOf(name), codes: [code] };
}

/** Of the default venue. */
export const SECTOR_CODES = ['6', '11', '1', '12', '2', '4', '5', '13', '3', '99', '9', '7', '8'] as const;

export type SectorCode = (typeof SECTOR_CODES)[number];

/** Compares exactly: '04' and ' 4' are no sectors. */
export function isSectorCode(code: string): code is SectorCode {
  return SECTOR_CODES.some((known) => known === code);
}
