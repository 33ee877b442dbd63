import type { SectorCode } from '../../domain/venue.ts';

/** What the screen calls each sector. */
export const SECTOR_NAMES: Readonly<Record<SectorCode, string>> = {
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
