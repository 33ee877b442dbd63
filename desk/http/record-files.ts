import { createHash } from 'node:crypto';
import type { DeskState } from '../model/desk-state.ts';
import type { LogRow } from '../model/log/flow-log.ts';
import { KEPT_MS, type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { LOG_HEADER, logLines, MINUTES_HEADER, minuteLines } from '../model/log/record-csv.ts';
import {
  LOG_SHEET_HEADER,
  logSheetLines,
  MINUTES_SHEET_HEADER,
  minuteSheetLines,
  type SheetContext,
} from '../model/log/record-sheet.ts';
import type { Desk } from '../flow/desk.ts';

const HOUR_MS = 60 * MINUTE_MS;

/** Asked for at once. */
const LOG_ROWS = 1_000;

/** Lines, as many at once as are read together. */
export type Batches = AsyncGenerator<Iterable<string>>;

/** The end of the newest minute; 0 before the first. */
export function endOfMinutes({ lastMinuteMs }: DeskState): number {
  return lastMinuteMs === null ? 0 : lastMinuteMs + MINUTE_MS;
}

/** The CSV of the minutes that end by `toMs`, as far back as they are kept in memory. */
export async function* minutesCsv(desk: Desk, toMs: number): Batches {
  const { eventId, source, sectors: codes } = desk;
  yield [MINUTES_HEADER];
  for await (const minutes of minutesUpTo(desk, toMs))
    yield linesOf(minutes, (minute) => minuteLines(minute, { eventId, source, codes }));
}

/** The same for spreadsheets. */
export async function* minutesSheet(desk: Desk, toMs: number, context: SheetContext): Batches {
  const { source, sectors: codes } = desk;
  yield [MINUTES_SHEET_HEADER];
  for await (const minutes of minutesUpTo(desk, toMs))
    yield minuteSheetLines(minutes, { ...context, source, codes });
}

async function* minutesUpTo(desk: Desk, toMs: number): AsyncGenerator<readonly Minute[]> {
  for (let fromMs = Math.max(0, toMs - KEPT_MS); fromMs < toMs; fromMs += HOUR_MS) {
    const minutes = await desk.minutes(fromMs, Math.min(fromMs + HOUR_MS, toMs));
    yield minutes.filter(({ minuteMs }) => minuteMs + MINUTE_MS <= toMs);
  }
}

/** The CSV of the log up to the row `to`. */
export async function* logCsv(desk: Desk, to: number): Batches {
  yield [LOG_HEADER];
  for await (const rows of logRows(desk, 0, to)) yield logLines(desk.eventId, rows, sha256);
}

/** The same for spreadsheets. */
export async function* logSheet(desk: Desk, to: number, context: SheetContext): Batches {
  const seqs = new Map<string, number>();
  yield [LOG_SHEET_HEADER];
  for await (const rows of logRows(desk, 0, to)) yield logSheetLines(rows, context, seqs);
}

function* linesOf<T>(items: Iterable<T>, toLines: (item: T) => Iterable<string>): Generator<string> {
  for (const item of items) yield* toLines(item);
}

/** The rows behind `from` up to `to`, as many at once as are asked for together. */
export async function* logRows(desk: Desk, from: number, to: number): AsyncGenerator<readonly LogRow[]> {
  for (let after = from; after < to;) {
    const rows = await desk.log(after, LOG_ROWS);
    yield rows.filter(({ seq }) => seq <= to);
    after = rows.at(-1)?.seq ?? to;
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
