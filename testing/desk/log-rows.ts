import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { DEFAULT_EVENT_ID } from '../../domain/event.ts';
import type { LogEntry, LogRow } from '../../desk/model/log/flow-log.ts';
import { chainedText } from '../../desk/model/log/log-chain.ts';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Reads the recorded log of the default event. */
export function readLogRows(sql: postgres.Sql): Promise<LogRow[]> {
  return sql<LogRow[]>`
    select seq::float8 as seq, id, (extract(epoch from at) * 1000)::float8 as "atMs", source, by_name as by, sector,
      kind, data, figures, previous
    from triagem.log where event_id = ${DEFAULT_EVENT_ID} order by seq`;
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
