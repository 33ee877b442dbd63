import { loadRecord } from './load-record.ts';

/** The page requests the record before the browser reads React (screen.tsx). */
export const record = loadRecord(document, fetch);
