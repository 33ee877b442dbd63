import type postgres from 'postgres';
import type { LogRow, Source } from '../../domain/flow/flow-log.ts';
import { type Minute, type MinuteOfSector } from '../../domain/flow/minute.ts';
import { importsInForce } from './record-log.ts';

export interface MinutesOfMatch {
  readonly source: Source;
  /** Of the rows, '' of the others, in the order of the minutes' sectors. */
  readonly codes: readonly string[];
  /** In order; those in which a sector is missing are not among them. */
  readonly minutes: readonly Minute[];
}

/** What was watched of an event, else what was imported and not withdrawn, else what was invented. */
export async function readRecordedMinutes(
  sql: postgres.Sql,
  eventId: string,
  log: readonly LogRow[],
): Promise<MinutesOfMatch | undefined> {
  const rows = await sql<RowOfMinute[]>`
    select source, import_id as "importId", (extract(epoch from minute) * 1000)::float8 as "minuteMs", sector,
      admitted, net, entered, reverted, moved, lots, valid
    from triagem.minutes where event_id = ${eventId} order by minute, sector collate "C"`;
  const imports = new Set(importsInForce(log).map(({ id }) => id));
  for (const source of ['live', 'import', 'simulated'] as const) {
    const some = rows.filter(
      (row) => row.source === source && (source !== 'import' || imports.has(row.importId)),
    );
    if (some.length > 0) return { source, ...byMinute(some) };
  }
  return undefined;
}

interface RowOfMinute extends MinuteOfSector {
  readonly source: Source;
  readonly importId: string;
  readonly minuteMs: number;
  readonly sector: string;
}

/** The others are last, whether they have a row or not. */
function byMinute(rows: readonly RowOfMinute[]): Pick<MinutesOfMatch, 'codes' | 'minutes'> {
  const recorded = [...new Set(rows.map(({ sector }) => sector))];
  const codes = recorded.filter((code) => code !== '');
  const minutes = new Map<number, Map<string, MinuteOfSector>>();
  for (const { minuteMs, sector, ...counts } of rows) {
    const minute = minutes.get(minuteMs) ?? new Map<string, MinuteOfSector>();
    minutes.set(minuteMs, minute.set(sector, counts));
  }
  const whole = [...minutes].filter(([, bySector]) => bySector.size === recorded.length);
  return {
    codes: [...codes, ''],
    minutes: whole.map(([minuteMs, bySector]) => ({
      minuteMs,
      sectors: [...codes, ''].map((code) => bySector.get(code) ?? NOBODY),
    })),
  };
}

const NOBODY: MinuteOfSector = {
  admitted: 0,
  net: 0,
  entered: null,
  reverted: null,
  moved: null,
  lots: 0,
  valid: 0,
};
