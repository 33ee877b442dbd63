import type { ShownSector } from '../../../domain/shown-venue.ts';

export const OTHERS_NAME = 'fora destes setores';
export const GROUND_NAME = 'estádio';

/** `sector`: a row's code, '' for the others, null for the whole ground. */
export function sectorName(sectors: readonly ShownSector[], sector: string | null): string {
  if (sector === null) return GROUND_NAME;
  if (sector === '') return OTHERS_NAME;
  return sectors.find(({ code }) => code === sector)?.name ?? sector;
}

/** "NORTE, SUL DORIL e OESTE"; of more than `most`: "NORTE, SUL DORIL e mais 3". */
export function listNames(names: readonly string[], most = Infinity): string {
  if (names.length > most) return `${names.slice(0, most).join(', ')} e mais ${names.length - most}`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} e ${names.at(-1)}`;
}
