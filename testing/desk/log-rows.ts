import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogEntry, LogRow } from '../../desk/model/log/flow-log.ts';
import { chainedText } from '../../desk/model/log/log-chain.ts';
import { sha256 } from '../../desk/http/record-files.ts';
import { readLog } from '../../desk/tool/record-log.ts';

/** Reads the recorded log of the default event. */
export function readLogRows(sql: postgres.Sql): Promise<LogRow[]> {
  return readLog(sql, DEFAULT_EVENT_ID);
}

const FIGURE = { admitted: 18_400, valid: 43_680, perMinute: 412.5 };

export const NO_FIGURES = { total: { admitted: 0, valid: 0, perMinute: null }, sector: null };

export function occurrence(id: string, text = 'portão 7 fechado', atMs = 1_795_000_000_000): LogEntry {
  return {
    id,
    atMs,
    source: 'live',
    by: 'Ana Lúcia',
    sector: '7',
    kind: 'occurrence',
    data: { text },
    figures: { total: FIGURE, sector: { admitted: 0, valid: 5_480, perMinute: null } },
  };
}

/** Returns entries as the rows of a log. */
export function chain(eventId: string, entries: readonly LogEntry[]): LogRow[] {
  const rows: LogRow[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    rows.push({ ...entry, seq: rows.length + 1, previous: last ? sha256(chainedText(eventId, last)) : '' });
  }
  return rows;
}
