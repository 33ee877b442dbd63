import { createHash } from 'node:crypto';
import type { DeskState } from '../../../domain/flow/desk-state.ts';
import type { LogRow } from '../../../domain/flow/flow-log.ts';
import { chainedText } from '../../../domain/flow/log-chain.ts';
import { KEPT_MS, MINUTE_MS } from '../../../domain/flow/minute.ts';
import { LOG_HEADER, logLines, MINUTES_HEADER, minuteLines } from '../../../domain/flow/record-csv.ts';
import type { RecordProof } from '../../../domain/flow/record-proof.ts';
import type { Desk } from '../../flow/desk.ts';
import type { SlicedWork } from './sliced-work.ts';

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
  for (let fromMs = toMs - KEPT_MS; fromMs < toMs; fromMs += HOUR_MS) {
    const minutes = await desk.minutes(fromMs, Math.min(fromMs + HOUR_MS, toMs));
    const whole = minutes.filter(({ minuteMs }) => minuteMs + MINUTE_MS <= toMs);
    yield linesOf(whole, (minute) => minuteLines(minute, { eventId, source, codes }));
  }
}

/** The CSV of the log up to the row `to`. */
export async function* logCsv(desk: Desk, to: number): Batches {
  yield [LOG_HEADER];
  for await (const rows of logUpTo(desk, to)) yield logLines(desk.eventId, rows, sha256);
}

/** Both files as they are now, and their hashes. */
export async function proveRecord(desk: Desk, work: SlicedWork): Promise<RecordProof> {
  const state = await desk.state();
  const [toMs, toSeq] = [endOfMinutes(state), state.lastSeq];
  const minutes = await hashLines(minutesCsv(desk, toMs), work);
  const log = await hashLines(logCsv(desk, toSeq), work);
  const last = await lastRow(desk, toSeq);
  return {
    state,
    source: desk.source,
    minutes: { to: toMs, ...minutes },
    log: { to: toSeq, ...log, lastLink: last ? sha256(chainedText(desk.eventId, last)) : null },
  };
}

function* linesOf<T>(items: Iterable<T>, toLines: (item: T) => Iterable<string>): Generator<string> {
  for (const item of items) yield* toLines(item);
}

async function* logUpTo(desk: Desk, to: number): AsyncGenerator<readonly LogRow[]> {
  for (let after = 0; after < to;) {
    const rows = await desk.log(after, LOG_ROWS);
    yield rows.filter(({ seq }) => seq <= to);
    after = rows.at(-1)?.seq ?? to;
  }
}

async function lastRow(desk: Desk, to: number): Promise<LogRow | undefined> {
  const [row] = to > 0 ? await desk.log(to - 1, 1) : [];
  return row?.seq === to ? row : undefined;
}

async function hashLines(
  batches: Batches,
  work: SlicedWork,
): Promise<{ readonly lines: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  function* counted(lines: Iterable<string>): Generator<string> {
    for (const line of lines) {
      count += 1;
      yield line;
    }
  }
  async function* all(): Batches {
    for await (const lines of batches) yield counted(lines);
  }
  for await (const piece of work.pieces(all())) hash.update(piece);
  // Without the header.
  return { lines: count - 1, sha256: hash.digest('hex') };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
