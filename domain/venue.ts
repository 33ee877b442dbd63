/**
 * The default venue: the codes of the stadium's thirteen sectors, in the order of the screen. What counts and what
 * encodes takes the codes as an argument; web/board/sector-names.ts has the names.
 */
export const SECTOR_CODES = ['6', '11', '1', '12', '2', '4', '5', '13', '3', '99', '9', '7', '8'] as const;

export type SectorCode = (typeof SECTOR_CODES)[number];

const CODES: ReadonlySet<string> = /* @__PURE__ */ new Set(SECTOR_CODES);

/** Compares exactly: '04' and ' 4' are no sectors. */
export function isSectorCode(code: string): code is SectorCode {
  return CODES.has(code);
}
