import { liveMessageDecoder } from '../../domain/live-message.ts';
import { SECTOR_CODES } from '../../domain/default-sectors.ts';
import { openBoard } from './open-board.ts';
import { reportWebVitals } from './report-web-vitals.ts';

/** The board connects before the browser reads React (screen.tsx). */
export const board = openBoard(document, {
  decode: liveMessageDecoder(SECTOR_CODES),
  sectorTable: async () => (await import('./venue-table.tsx')).VenueTable,
});
void reportWebVitals();
