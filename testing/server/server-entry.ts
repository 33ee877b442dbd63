import type { LogEntry } from '../../desk/model/log/flow-log.ts';

const NO_FIGURES = { total: { admitted: 0, valid: 0, perMinute: null }, sector: null };

/** An entry of the server's own. */
export function serverEntry<K extends LogEntry['kind']>(
  id: string,
  kind: K,
  data: Extract<LogEntry, { kind: K }>['data'],
  atMs = 1_795_000_000_000,
): LogEntry {
  return { id, atMs, source: 'live', by: null, sector: null, kind, data, figures: NO_FIGURES } as LogEntry;
}
