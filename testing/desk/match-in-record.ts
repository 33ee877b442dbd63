import { rowsNamed } from './record.ts';
import type { LogEntry, Source } from '../../desk/model/log/flow-log.ts';
import { FlowSeries } from '../../desk/model/series/flow-series.ts';
import { RECORD_LIMITS } from '../../desk/record/record-limits.ts';
import { RecordSession } from '../../desk/record/record-session.ts';
import type { TestDatabase } from '../database/database.ts';
import { generateMatch } from '../../gates/simulator/generated/generated-match.ts';
import { playMatch } from '../../desk/tool/play-match.ts';
import { serverEntry } from '../server/server-entry.ts';

const MATCH_SECTORS = ['4', '7', '99'].map((code) => ({ code, valid: 2_000 }));

export interface RecordedMatchOptions {
  readonly eventId: string;
  readonly kickOffMs: number;
  /** The default is three of the venue's. */
  readonly sectors?: readonly { readonly code: string; readonly valid: number }[];
  readonly source?: Source;
  /** The id of the import's entry. */
  readonly importId?: string;
  /** Entries after its times. */
  readonly entries?: readonly LogEntry[];
  /** Whether the record has the match's times. */
  readonly hasTimes?: boolean;
}

/** Writes a generated match into the record. Returns how many were in at kick-off. */
export async function recordGeneratedMatch(
  { recordUrl, admin }: Pick<TestDatabase, 'recordUrl' | 'admin'>,
  options: RecordedMatchOptions,
): Promise<number> {
  const { eventId, kickOffMs, source = 'live', importId = '', entries = [], hasTimes = true } = options;
  const { sectors = MATCH_SECTORS } = options;
  const codes = sectors.map(({ code }) => code);
  const series = new FlowSeries({ sectorCount: codes.length + 1 });
  const match = generateMatch({ seed: kickOffMs % 1_000_003, sectors });
  playMatch(match, series, { kickOffMs, untilMinute: 62 });
  const session = new RecordSession({
    url: recordUrl,
    place: { setting: 'RECORD_DATABASE_URL' },
    eventId,
    source,
    rows: rowsNamed(codes),
    limits: RECORD_LIMITS,
  });
  await session.readLog();
  const minutes = series.minutes(0, Number.POSITIVE_INFINITY);
  await session.addMinutes(minutes);
  const times = { gatesOpenAtMs: null, kickOffAtMs: kickOffMs };
  const started = serverEntry('started', 'started', { version: '1' });
  for (const entry of [started, ...(hasTimes ? [serverEntry('times', 'times', times)] : []), ...entries])
    await session.addEntry({ ...entry, source });
  await session.end();
  if (importId !== '') {
    await admin`
      update triagem.minutes set source = 'import', import_id = ${importId} where event_id = ${eventId}`;
  }
  const last = minutes.findLast(({ minuteMs }) => minuteMs < kickOffMs);
  return (last?.sectors ?? []).reduce((sum, { admitted }) => sum + admitted, 0);
}
