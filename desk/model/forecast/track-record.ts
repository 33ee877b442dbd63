import type { LogRow } from '../log/flow-log.ts';
import { JUDGED_RANGES, STORED_AT_MIN } from './limits.ts';

/** "Of the last 12 ranges at T-30, 10 held." */
export interface TrackRecord {
  readonly minutesBefore: number;
  /** The number of judged ranges: at most JUDGED_RANGES. */
  readonly ranges: number;
  readonly held: number;
}

/**
 * Counts the newest judged ranges for each of STORED_AT_MIN that has any. `logs` are those of other events, in any order;
 * simulated and real matches are never mixed.
 */
export function readTrackRecord(
  logs: readonly (readonly LogRow[])[],
  isSimulated: boolean,
): readonly TrackRecord[] {
  const judged = logs
    .flatMap((log) => readJudged(log.filter(({ source }) => (source === 'simulated') === isSimulated)))
    .toSorted((a, b) => a.kickOffAtMs - b.kickOffAtMs);
  return STORED_AT_MIN.flatMap((minutesBefore) => {
    const newest = judged.filter((range) => range.minutesBefore === minutesBefore).slice(-JUDGED_RANGES);
    const held = newest.filter(({ isHeld }) => isHeld).length;
    return newest.length === 0 ? [] : [{ minutesBefore, ranges: newest.length, held }];
  });
}

interface JudgedRange {
  readonly minutesBefore: number;
  readonly kickOffAtMs: number;
  readonly isHeld: boolean;
}

function readJudged(log: readonly LogRow[]): readonly JudgedRange[] {
  const isHeld = new Map(
    log.flatMap((row) =>
      row.kind === 'outcome' && row.data.isHeld !== null
        ? [[row.data.forecast, row.data.isHeld] as const]
        : [],
    ),
  );
  return log.flatMap((row) => {
    const held = isHeld.get(row.id);
    if (row.kind !== 'forecast' || held === undefined) return [];
    const { minutesBefore, kickOffAtMs } = row.data;
    return [{ minutesBefore, kickOffAtMs, isHeld: held }];
  });
}
