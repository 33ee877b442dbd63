import type postgres from 'postgres';
import type { LogRow, Source } from '../model/log/flow-log.ts';
import { type Minute, type MinuteOfSector } from '../model/series/minute.ts';
import { activeImports } from './record-log.ts';

export interface MinutesOfMatch {
  readonly source: Source;
  /** The codes of the minutes' sectors, '' for the others. */
  readonly codes: readonly string[];
  /** The minutes that have all sectors, in order. */
  readonly minutes: readonly Minute[];
}

/**
 * Reads the minutes of a match for this venue: unrecorded rows are empty, and codes without a row are the others. Observed
 * minutes take precedence over imports, and imports over simulated minutes.
 */
export async function readRecordedMinutes(
  sql: postgres.Sql,
  eventId: string,
  { log, venueCodes }: { readonly log: readonly LogRow[]; readonly venueCodes: readonly string[] },
): Promise<MinutesOfMatch | undefined> {
  const rows = await sql<RowOfMinute[]>`
    select source, import_id as "importId", (extract(epoch from minute) * 1000)::float8 as "minuteMs", sector,
      admitted, net, entered, reverted, moved, lots, valid
    from triagem.minutes where event_id = ${eventId} order by minute, sector collate "C"`;
  const imports = new Set(activeImports(log).map(({ id }) => id));
  for (const source of ['live', 'import', 'simulated'] as const) {
    const some = rows.filter(
      (row) => row.source === source && (source !== 'import' || imports.has(row.importId)),
    );
    if (some.length > 0) return { source, ...byMinute(some, venueCodes) };
  }
  return undefined;
}

interface RowOfMinute extends MinuteOfSector {
  readonly source: Source;
  readonly importId: string;
  readonly minuteMs: number;
  readonly sector: string;
}

function byMinute(
  rows: readonly RowOfMinute[],
  venueCodes: readonly string[],
): Pick<MinutesOfMatch, 'codes' | 'minutes'> {
  const sectorCount = new Set(rows.map(({ sector }) => sector)).size;
  const byStart = new Map<number, RowOfMinute[]>();
  for (const row of rows) {
    const minute = byStart.get(row.minuteMs);
    if (minute) minute.push(row);
    else byStart.set(row.minuteMs, [row]);
  }
  const codes = [...venueCodes, ''];
  const isOf = (code: string, { sector }: RowOfMinute): boolean =>
    code === '' ? !venueCodes.includes(sector) : sector === code;
  const minutes = [...byStart]
    .filter(([, minute]) => minute.length === sectorCount)
    .map(([minuteMs, minute]) => ({
      minuteMs,
      sectors: codes.map((code) => sumOf(minute.filter((row) => isOf(code, row)))),
    }));
  return { codes, minutes };
}

function sumOf(rows: readonly MinuteOfSector[]): MinuteOfSector {
  const sum = (key: 'admitted' | 'net' | 'lots' | 'valid'): number =>
    rows.reduce((total, row) => total + row[key], 0);
  const counts = { admitted: sum('admitted'), net: sum('net'), lots: sum('lots'), valid: sum('valid') };
  return { ...counts, entered: null, reverted: null, moved: null };
}
