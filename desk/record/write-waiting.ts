import type { Logger } from 'pino';
import type { Minute } from '../model/series/minute.ts';
import { errorMessage } from '../../database/setup-error.ts';
import type { RecordContents } from './record-contents.ts';
import { isRefusedRow } from './record-fault.ts';
import type { RecordSession } from './record-session.ts';
import type { WaitingEntry } from './waiting-writes.ts';

/** Limits how long one statement takes. */
const ROWS_AT_ONCE = 2_000;

/**
 * Writes what waits, in a session that holds the lock. Rows that the database refuses for good are logged and dropped, so that
 * they delay nothing else.
 *
 * @throws whatever ends the session
 */
export async function writeWaiting(
  session: RecordSession,
  contents: RecordContents,
  log: Logger,
  sectorCount: number,
): Promise<void> {
  const { waiting } = contents;
  const minutesAtOnce = Math.max(1, Math.floor(ROWS_AT_ONCE / sectorCount));
  while (!waiting.isEmpty) {
    const entry = waiting.nextEntry();
    if (entry) await writeEntry(session, contents, entry, log);
    const minutes = waiting.nextMinutes(minutesAtOnce);
    if (minutes.length > 0) await writeMinutes(session, contents, minutes, log);
  }
}

async function writeEntry(
  session: RecordSession,
  contents: RecordContents,
  waiting: WaitingEntry,
  log: Logger,
): Promise<void> {
  try {
    const { row, isNew } = await session.addEntry(waiting.entry);
    contents.waiting.close(waiting);
    if (isNew) contents.add([row]);
    waiting.resolve?.(row);
  } catch (error) {
    if (!isRefusedRow(error)) throw error;
    contents.waiting.close(waiting);
    waiting.reject?.(error as Error);
    const { id, kind } = waiting.entry;
    log.error({ id, kind, reason: errorMessage(error) }, 'an entry of the log was refused');
  }
}

async function writeMinutes(
  session: RecordSession,
  contents: RecordContents,
  minutes: readonly Minute[],
  log: Logger,
): Promise<void> {
  const minutesMs = minutes.map(({ minuteMs }) => minuteMs);
  try {
    const added = new Set(await session.addMinutes(minutes));
    contents.waiting.recordedMinutes(minutesMs);
    contents.wrote(minutes.filter(({ minuteMs }) => added.has(minuteMs)));
  } catch (error) {
    if (!isRefusedRow(error)) throw error;
    contents.waiting.recordedMinutes(minutesMs);
    log.error({ minutesMs, reason: errorMessage(error) }, 'minutes were refused');
  }
}
