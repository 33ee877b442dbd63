/**
 * What names the thirteen rows of the default venue, in the order of the screen. Apart from their names (venue.ts), which
 * a page needs only once it draws them.
 */
export const SECTOR_CODES = ['6', '11', '1', '12', '2', '4', '5', '13', '3', '99', '9', '7', '8'] as const;

export type SectorCode = (typeof SECTOR_CODES)[number];
