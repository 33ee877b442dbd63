/** The codes of the stadium's thirteen sectors, in the order of the screen. Any other code counts in the total only. */
export const SECTOR_CODES = ['6', '11', '1', '12', '2', '4', '5', '13', '3', '99', '9', '7', '8'] as const;

export type SectorCode = (typeof SECTOR_CODES)[number];

const CODES: ReadonlySet<string> = /* @__PURE__ */ new Set(SECTOR_CODES);

/** Compares exactly: '04' and ' 4' are no sectors. */
export function isSectorCode(code: string): code is SectorCode {
  return CODES.has(code);
}
