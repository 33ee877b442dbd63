import { decodeLiveMessage } from '../../domain/live-message.ts';
import { openBoard } from './open-board.ts';
import { reportWebVitals } from './report-web-vitals.ts';

/** Connects before React is read (screen.tsx). */
export const board = openBoard(document, {
  decode: decodeLiveMessage,
  sectorTable: async () => (await import('./default-venue.tsx')).DefaultVenueTable,
});
void reportWebVitals();
