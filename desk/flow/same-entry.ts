import { isDeepStrictEqual } from 'node:util';
import type { LogEntry } from '../model/log/flow-log.ts';
import type { EntryContent } from './entry-maker.ts';

/** Whether the entry is what the command asks for, by the same operator. */
export function isSameEntry(entry: LogEntry, { kind, data, sector }: EntryContent, by: string): boolean {
  return (
    entry.kind === kind && entry.by === by && entry.sector === sector && isDeepStrictEqual(entry.data, data)
  );
}
