/**
 * The codes of the default venue's thirteen rows, in the order of the screen. They are apart from the names (venue.ts), as a
 * page needs those only when it draws them.
 */
export const SECTOR_CODES = ['6', '11', '1', '12', '2', '4', '5', '13', '3', '99', '9', '7', '8'] as const;

export type SectorCode = (typeof SECTOR_CODES)[number];
