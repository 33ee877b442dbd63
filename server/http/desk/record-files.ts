import { createHash } from 'node:crypto';
import { KEPT_MS, MINUTE_MS } from '../../../domain/flow/minute.ts';
import { LOG_HEADER, logLines, MINUTES_HEADER, minuteLines } from '../../../domain/flow/record-csv.ts';
import type { Desk } from '../../flow/desk.ts';

const HOUR_MS = 60 * MINUTE_MS;

/** The end of the newest minute; 0 before the first. */
export function endOfMinutes(desk: Desk): number {
  const { lastMinuteMs } = desk.state();
  return lastMinuteMs === null ? 0 : lastMinuteMs + MINUTE_MS;
}

/** The CSV of the minutes that end by `toMs`, as far back as they are kept in memory, line by line. */
export function* minutesCsv(desk: Desk, toMs: number): Generator<string> {
  const { eventId, source, sectors: codes } = desk;
  yield MINUTES_HEADER;
  for (let fromMs = toMs - KEPT_MS; fromMs < toMs; fromMs += HOUR_MS) {
    for (const minute of desk.minutes(fromMs, Math.min(fromMs + HOUR_MS, toMs))) {
      if (minute.minuteMs + MINUTE_MS <= toMs) yield* minuteLines(minute, { eventId, source, codes });
    }
  }
}

/** The CSV of the log up to the row `to`, line by line. */
export function* logCsv(desk: Desk, to: number): Generator<string> {
  yield LOG_HEADER;
  yield* logLines(desk.eventId, rowsUpTo(desk, to), sha256);
}

function rowsUpTo(desk: Desk, to: number) {
  const rows = desk.log(0);
  return rows.slice(0, Math.max(0, to - (rows[0]?.seq ?? 1) + 1));
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
