import { loadRecord } from './load-record.ts';

/** Asked for before React is read (screen.tsx). */
export const record = loadRecord(document, fetch);
