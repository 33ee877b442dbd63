/** The thirteen sectors of the stadium, in the order of the screen. Any other code counts in the total only. */
export const SECTORS = [
  { code: '6', name: 'CAMAROTES' },
  { code: '11', name: 'LESTE INFERIOR CENTRAL' },
  { code: '1', name: 'LESTE INFERIOR LATERAL' },
  { code: '12', name: 'LESTE SUPERIOR CENTRAL' },
  { code: '2', name: 'LESTE SUPERIOR LATERAL' },
  { code: '4', name: 'NORTE' },
  { code: '5', name: 'OESTE INFERIOR CENTRAL' },
  { code: '13', name: 'OESTE INFERIOR CORNER' },
  { code: '3', name: 'OESTE INFERIOR LATERAL' },
  { code: '99', name: 'OESTE LOUNGE BRAHMA' },
  { code: '9', name: 'OESTE SUPERIOR' },
  { code: '7', name: 'SUL DORIL' },
  { code: '8', name: 'SUL VISITANTE' },
] as const;

export type SectorCode = (typeof SECTORS)[number]['code'];

const CODES: ReadonlySet<string> = new Set(SECTORS.map((sector) => sector.code));

/** Compares exactly: '04' and ' 4' are no sectors. */
export function isSectorCode(code: string): code is SectorCode {
  return CODES.has(code);
}
