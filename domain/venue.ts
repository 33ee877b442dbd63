import { SECTOR_CODES, type SectorCode } from './default-sectors.ts';

/** A row of the screen. */
export interface Sector {
  /** Identifies the row. */
  readonly code: string;
  readonly name: string;
  /** Adjacent sectors of one stand are grouped. */
  readonly stand: string;
  /** The sector codes of its tickets, compared exactly: '04' and ' 4' are not '4'. Never empty. */
  readonly codes: readonly string[];
  /** How many people it may hold; in DEFAULT_VENUE, the number of seats. */
  readonly capacity?: number;
  /** Whom to call about it, as a radio channel or a telephone: for signed-in desks alone. */
  readonly contact?: string;
  /** How many people its gates let in within an hour. */
  readonly entriesPerHour?: number;
}

/** The place of an event: it maps the codes of tickets to the rows of the screen. */
export interface Venue {
  readonly name: string;
  /** An IANA name. */
  readonly timeZone?: string;
  /** What the walls display during an evacuation; absent: nothing. */
  readonly evacuation?: { readonly wallText: string };
  /** In the order of the screen; no code is in two of them. */
  readonly sectors: readonly Sector[];
}

/** Names, and the seats of a stadium of 43,680. */
const SECTORS: Readonly<Record<SectorCode, readonly [name: string, capacity: number]>> = {
  '6': ['CAMAROTES', 1_160],
  '11': ['LESTE INFERIOR CENTRAL', 3_080],
  '1': ['LESTE INFERIOR LATERAL', 4_120],
  '12': ['LESTE SUPERIOR CENTRAL', 3_520],
  '2': ['LESTE SUPERIOR LATERAL', 3_960],
  '4': ['NORTE', 6_240],
  '5': ['OESTE INFERIOR CENTRAL', 2_680],
  '13': ['OESTE INFERIOR CORNER', 1_720],
  '3': ['OESTE INFERIOR LATERAL', 3_840],
  '99': ['OESTE LOUNGE BRAHMA', 760],
  '9': ['OESTE SUPERIOR', 4_720],
  '7': ['SUL DORIL', 5_480],
  '8': ['SUL VISITANTE', 2_400],
};

/** The stadium's thirteen sectors. The name is not displayed. */
export const DEFAULT_VENUE: Venue = {
  name: 'Castelão',
  sectors: SECTOR_CODES.map((code) => {
    const [name, capacity] = SECTORS[code];
    return { code, name, stand: standOf(name), codes: [code], capacity };
  }),
};

/** Returns the stand of a sector that names none. */
export function standOf(sectorName: string): string {
  return sectorName.split(' ', 1)[0] ?? '';
}

/** Returns the codes of the rows, in the order of the screen. */
export function sectorCodesOf(venue: Venue): string[] {
  return venue.sectors.map(({ code }) => code);
}

/** Returns the codes of all sectors. Tickets with any other code are counted as others. */
export function knownCodes(venue: Venue): ReadonlySet<string> {
  return new Set(venue.sectors.flatMap(({ codes }) => codes));
}
