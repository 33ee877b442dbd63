import { SECTOR_CODES, type SectorCode } from './default-sectors.ts';

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

const NAMES: Readonly<Record<SectorCode, string>> = {
  '6': 'CAMAROTES',
  '11': 'LESTE INFERIOR CENTRAL',
  '1': 'LESTE INFERIOR LATERAL',
  '12': 'LESTE SUPERIOR CENTRAL',
  '2': 'LESTE SUPERIOR LATERAL',
  '4': 'NORTE',
  '5': 'OESTE INFERIOR CENTRAL',
  '13': 'OESTE INFERIOR CORNER',
  '3': 'OESTE INFERIOR LATERAL',
  '99': 'OESTE LOUNGE BRAHMA',
  '9': 'OESTE SUPERIOR',
  '7': 'SUL DORIL',
  '8': 'SUL VISITANTE',
};

/** The stadium's thirteen sectors. The name is shown nowhere. */
export const DEFAULT_VENUE: Venue = {
  name: 'Castelão',
  sectors: SECTOR_CODES.map((code) => ({
    code,
    name: NAMES[code],
    stand: standOf(NAMES[code]),
    codes: [code],
  })),
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

/** Compares exactly: '04' and ' 4' are no sectors. */
export function isSectorCode(code: string): boolean {
  return SECTOR_CODES.some((known) => known === code);
}
