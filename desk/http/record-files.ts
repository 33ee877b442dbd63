import { createHash } from 'node:crypto';
import { setImmediate as otherWork } from 'node:timers/promises';
import type { LogRow } from '../model/log/flow-log.ts';
import { KEPT_MS, type Minute, MINUTE_MS } from '../model/series/minute.ts';
import { LOG_HEADER, logLines, MINUTES_HEADER, minuteLines } from '../model/log/record-csv.ts';
import {
  type EarlierRow,
  LOG_SHEET_HEADER,
  logSheetLines,
  MINUTES_SHEET_HEADER,
  minuteSheetLines,
  type SheetContext,
} from '../model/log/record-sheet.ts';
import type { Desk } from '../flow/desk.ts';

const HOUR_MS = 60 * MINUTE_MS;

/** The rows of the log that one read returns. */
const LOG_ROWS = 1_000;

/** The lines that are made between two turns of the event loop: some milliseconds of work. */
const LINES_AT_ONCE = 100;

/** The lines of a file, by what was read together. */
export type Pages = AsyncGenerator<Iterable<string>>;

/** Returns the lines of a file in batches, and lets the walls' work run in between. */
export async function* inBatches(pages: Pages): AsyncGenerator<readonly string[]> {
  for await (const lines of pages) {
    let batch: string[] = [];
    for (const line of lines) {
      if (batch.push(line) < LINES_AT_ONCE) continue;
      yield batch;
      batch = [];
      await otherWork();
    }
    if (batch.length > 0) yield batch;
  }
}

/** Returns the CSV of the minutes that end by `toMs`, as far back as they are in memory. */
export async function* minutesCsv(desk: Desk, toMs: number): Pages {
  const { eventId, source, sectors: codes } = desk;
  yield [MINUTES_HEADER];
  for await (const minutes of minutesUpTo(desk, toMs))
    yield linesOf(minutes, (minute) => minuteLines(minute, { eventId, source, codes }));
}

export async function* minutesSheet(desk: Desk, toMs: number, context: SheetContext): Pages {
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

/** Returns the CSV of the log up to the row `to`. `hash` hashes the text of each row. */
export async function* logCsv(desk: Desk, to: number, hash = sha256): Pages {
  yield [LOG_HEADER];
  for await (const rows of logRows(desk, to)) yield logLines(desk.eventId, rows, hash);
}

export async function* logSheet(desk: Desk, to: number, context: SheetContext): Pages {
  const earlier = new Map<string, EarlierRow>();
  yield [LOG_SHEET_HEADER];
  for await (const rows of logRows(desk, to)) yield logSheetLines(rows, context, earlier);
}

function* linesOf<T>(items: Iterable<T>, toLines: (item: T) => Iterable<string>): Generator<string> {
  for (const item of items) yield* toLines(item);
}

async function* logRows(desk: Desk, to: number): AsyncGenerator<readonly LogRow[]> {
  for (let after = 0; after < to;) {
    const rows = await desk.log(after, LOG_ROWS);
    yield rows.filter(({ seq }) => seq <= to);
    after = rows.at(-1)?.seq ?? to;
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
